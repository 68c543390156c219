import React from 'react';
import {
  FactChange,
  NotebookChange,
  SnapshotComparison
} from '../../api/models';
import { IResource } from '../../state/resource';
import { DIFFERENCE_SIGNS } from '../datasets/compare';
import { bytesText } from '../parts/amounts';
import { Notice } from '../parts/controls';
import { Loaded } from '../parts/loaded';
import { useResult, useUi } from '../parts/ui';
import { shortId, titleOf } from './texts';

/** Show what differs between two snapshots. */
export function CompareSnapshots(props: {
  resource: IResource<SnapshotComparison>;
}): JSX.Element {
  return (
    <Loaded resource={props.resource}>
      {value => <Comparison value={value} />}
    </Loaded>
  );
}

function Comparison({ value }: { value: SnapshotComparison }): JSX.Element {
  const { trans, workspace } = useUi();
  const known = useResult(workspace.resource('snapshots'));
  const nameOf = (id: string) =>
    titleOf(
      (known.status === 'ready' &&
        known.value.items.find(item => item.id === id)) || { id, note: '' }
    );
  const { after, before, files, notebooks, problems } = value;
  const facts: readonly (readonly [string, readonly FactChange[]])[] = [
    [trans.__('Metrics'), value.metrics],
    [trans.__('Parameters'), value.params ?? []],
    [trans.__('Code'), value.code],
    [trans.__('Data'), value.data],
    [trans.__('Volumes'), value.volumes],
    [trans.__('Environment'), value.environment],
    [trans.__('Packages'), value.packages]
  ];
  const isSame =
    !files.length &&
    !notebooks.length &&
    facts.every(([, changes]) => !changes.length);
  return (
    <article className="jp-GpuQuota-details jp-GpuQuota-snapshot">
      <header>
        <h2>
          {nameOf(before)} → {nameOf(after)}
        </h2>
        <p className="jp-GpuQuota-quiet">
          {shortId(before)} → {shortId(after)}
        </p>
      </header>
      {problems.map(problem => (
        <Notice key={problem}>{problem}</Notice>
      ))}
      {isSame ? <p>{trans.__('Nothing differs.')}</p> : null}
      {facts.map(([title, changes]) => (
        <FactTable key={title} title={title} changes={changes} />
      ))}
      <Notebooks changes={notebooks} />
      <Files value={value} />
    </article>
  );
}

/** Facts that differ, with both sides. */
function FactTable(props: {
  title: string;
  changes: readonly FactChange[];
}): JSX.Element | null {
  const { trans } = useUi();
  const { changes, title } = props;
  return changes.length ? (
    <section>
      <h3>
        {title} <span className="jp-GpuQuota-quiet">{changes.length}</span>
      </h3>
      <table className="jp-GpuQuota-table">
        <thead>
          <tr>
            <th scope="col">{trans.__('Name')}</th>
            <th scope="col">{trans.__('Before')}</th>
            <th scope="col">{trans.__('After')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ after, before, name }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{before || '–'}</td>
              <td>{after || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  ) : null;
}

/** Notebooks that differ, with what differs in their sources. */
function Notebooks(props: {
  changes: readonly NotebookChange[];
}): JSX.Element | null {
  const { trans } = useUi();
  return props.changes.length ? (
    <section>
      <h3>
        {trans.__('Notebooks')}{' '}
        <span className="jp-GpuQuota-quiet">{props.changes.length}</span>
      </h3>
      {props.changes.map(({ change, path, text }) => {
        const title = (
          <>
            {path} <span className="jp-GpuQuota-quiet">{change}</span>
          </>
        );
        return text ? (
          <details key={path} className="jp-GpuQuota-disclosure">
            <summary>{title}</summary>
            <Diff text={text} />
          </details>
        ) : (
          <p key={path}>{title}</p>
        );
      })}
    </section>
  ) : null;
}

/** Lines of a diff; their first letters say what the colours say, too. */
function Diff({ text }: { text: string }): JSX.Element {
  const kinds = new Map([
    ['+', 'added'],
    ['-', 'removed']
  ]);
  return (
    <pre className="jp-GpuQuota-diff" tabIndex={0}>
      {text.split('\n').map((line, index) => (
        <div key={index} className={`jp-mod-${kinds.get(line[0]) ?? 'same'}`}>
          {line || ' '}
        </div>
      ))}
    </pre>
  );
}

function Files({ value }: { value: SnapshotComparison }): JSX.Element | null {
  const { trans } = useUi();
  const { all_files: count, files } = value;
  const sign: Readonly<Record<string, string>> = DIFFERENCE_SIGNS;
  return files.length ? (
    <section>
      <h3>
        {trans.__('Files')}{' '}
        <span className="jp-GpuQuota-quiet">{count.toLocaleString()}</span>
      </h3>
      <ul className="jp-GpuQuota-contents">
        {files.map(({ after, before, change, path }) => (
          <li key={path}>
            <span className={`jp-GpuQuota-change jp-mod-${change}`}>
              {sign[change] ?? '?'}
            </span>{' '}
            {path}{' '}
            <span className="jp-GpuQuota-quiet">
              {change === 'changed'
                ? `${bytesText(before)} → ${bytesText(after)}`
                : bytesText(Math.max(before, after))}
            </span>
          </li>
        ))}
      </ul>
      {count > files.length ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'Showing the first %1 of %2.',
            files.length.toLocaleString(),
            count.toLocaleString()
          )}
        </p>
      ) : null}
    </section>
  ) : null;
}
