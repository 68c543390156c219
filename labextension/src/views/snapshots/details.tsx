import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Snapshot, SnapshotDetails } from '../../api/models';
import { CommandIDs } from '../../commands';
import { warningIcon } from '../../icons';
import { IResource } from '../../state/resource';
import { SnapshotActions } from '../../state/snapshots/actions';
import { IPart, partsOf } from '../../state/snapshots/parts';
import { copy } from '../datasets/dialogs';
import { bytesText } from '../parts/amounts';
import { Badge } from '../parts/controls';
import { Facts } from '../parts/facts';
import { Loaded } from '../parts/loaded';
import { timeText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';
import { Contents } from './contents';
import { snapshotEntries } from './menu';
import { partSummary } from './summaries';
import {
  addedText,
  consistencyText,
  mechanismText,
  partStateText,
  partTexts,
  shortId,
  snapshotStateText,
  titleOf,
  triggerText
} from './texts';

/** Show all that is known of one snapshot. */
export function SnapshotView(props: {
  resource: IResource<SnapshotDetails>;
}): JSX.Element {
  return (
    <Loaded resource={props.resource}>
      {value => <Details details={value} />}
    </Loaded>
  );
}

function Details({ details }: { details: SnapshotDetails }): JSX.Element {
  const { trans } = useUi();
  const { manifest, reproduce, snapshot } = details;
  return (
    <article className="jp-GpuQuota-details jp-GpuQuota-snapshot">
      <header>
        <h2>
          {titleOf(snapshot)}
          {snapshot.tags.map(tag => (
            <Badge key={tag} kind="here">
              {tag}
            </Badge>
          ))}
          {snapshot.pin ? (
            <Badge title={snapshot.pin.why}>{trans.__('pinned')}</Badge>
          ) : null}
        </h2>
        <p>{snapshotStateText(trans, snapshot)}</p>
      </header>
      <Actions snapshot={snapshot} />
      <About snapshot={snapshot} />
      {manifest ? (
        <>
          <Parts
            parts={partsOf(manifest)}
            summaryOf={({ part }) => partSummary(trans, manifest, part)}
          />
          <Contents manifest={manifest} />
        </>
      ) : null}
      <Reproduce commands={reproduce} />
    </article>
  );
}

/** What can be done to it, each as a button. */
function Actions({ snapshot }: { snapshot: Snapshot }): JSX.Element {
  const ui = useUi();
  const { trans, workspace } = ui;
  const actions = useMemo(() => new SnapshotActions(workspace), [workspace]);
  const known = useResult(workspace.resource('snapshots'));
  const others = known.status === 'ready' ? known.value.items : [];
  const [, ...entries] = snapshotEntries(ui, actions, snapshot, others);
  return (
    <div
      className="jp-GpuQuota-buttons"
      role="group"
      aria-label={trans.__('Actions')}
    >
      {entries.map(entry =>
        entry ? (
          <button
            key={entry.label}
            type="button"
            className="jp-GpuQuota-button"
            onClick={entry.run}
          >
            {entry.label}
          </button>
        ) : null
      )}
    </div>
  );
}

function About({ snapshot }: { snapshot: Snapshot }): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const { added, files, id, name, parent, project, size } = snapshot;
  return (
    <Facts
      title={trans.__('Snapshot')}
      facts={[
        [trans.__('Session'), trans.__('%1 in %2', name, project)],
        [trans.__('Taken'), timeText(snapshot.created)],
        [trans.__('Trigger'), triggerText(trans, snapshot.trigger)],
        [
          trans.__('Size'),
          trans._n(
            '%2 in %1 file, %3 of it new',
            '%2 in %1 files, %3 of it new',
            files,
            bytesText(size),
            addedText(added)
          )
        ],
        [trans.__('Consistency'), consistencyText(trans, snapshot.consistency)],
        [trans.__('Stored by'), storedText(trans, snapshot)],
        [trans.__('Parent'), parent && <Reference key="parent" id={parent} />],
        [trans.__('ID'), <code key="id">{id}</code>]
      ]}
    />
  );
}

/** Return what has stored it, and whether that was done at once. */
function storedText(
  trans: TranslationBundle,
  { mechanism, providers }: Snapshot
): string {
  return providers.length
    ? `${providers.join(', ')} · ${mechanismText(trans, mechanism)}`
    : '';
}

/** A link to another snapshot. */
function Reference({ id }: { id: string }): JSX.Element {
  const { commands } = useUi();
  return (
    <button
      type="button"
      className="jp-GpuQuota-linkButton"
      onClick={() =>
        void commands.execute(CommandIDs.showSnapshot, { snapshot: id })
      }
    >
      {shortId(id)}
    </button>
  );
}

/** What the snapshot consists of, and which parts failed and why. */
function Parts(props: {
  parts: readonly IPart[];
  summaryOf: (part: IPart) => string;
}): JSX.Element {
  const { trans } = useUi();
  const names = partTexts(trans);
  return (
    <section>
      <h3>{trans.__('Parts')}</h3>
      <table className="jp-GpuQuota-table">
        <thead>
          <tr>
            <th scope="col">{trans.__('Part')}</th>
            <th scope="col">{trans.__('State')}</th>
            <th scope="col">{trans.__('Content')}</th>
          </tr>
        </thead>
        <tbody>
          {props.parts.map(part => (
            <tr key={part.part} className={`jp-mod-${part.state}`}>
              <th scope="row">{names[part.part] ?? part.part}</th>
              <td>
                {part.problems.length && part.state !== 'noted' ? (
                  <warningIcon.react tag="span" aria-hidden="true" />
                ) : null}{' '}
                {partStateText(trans, part.state)}
              </td>
              <td>
                {props.summaryOf(part)}
                {part.problems.length ? (
                  <ul className="jp-GpuQuota-quiet">
                    {part.problems.map(problem => (
                      <li key={problem}>{problem}</li>
                    ))}
                  </ul>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The commands that rebuild the run. */
function Reproduce(props: { commands: readonly string[] }): JSX.Element | null {
  const { trans } = useUi();
  const text = props.commands.join('\n');
  return text ? (
    <section>
      <h3>{trans.__('Reproduce')}</h3>
      <pre tabIndex={0}>{text}</pre>
      <button
        type="button"
        className="jp-GpuQuota-button"
        onClick={() => copy(trans, text)}
      >
        {trans.__('Copy commands')}
      </button>
    </section>
  ) : null;
}
