import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { StorageKind, StorageUse } from '../../api/models';
import { routes } from '../../api/routes';
import { Table, textOf } from '../../api/vocabulary';
import { IGpuWorkspace } from '../../tokens';
import { bytesText } from '../parts/amounts';
import { Notice, Pending } from '../parts/controls';
import { useAnswer, useUi } from '../parts/ui';

interface IStored {
  /** By kind, and within each kind by owner. */
  readonly rows: readonly StorageUse[];
  readonly problems: readonly string[];
}

/** What a project stores: a row for each kind, and below it those of owners. */
export default function StorageTable(props: {
  project: string;
  me: string;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const { project } = props;
  const result = useAnswer(project, () => askStored(workspace, project));
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  const { problems, rows } =
    result.status === 'ready'
      ? result.value
      : { problems: [result.error.message], rows: [] };
  return (
    <>
      {problems.map(problem => (
        <Notice key={problem}>{problem}</Notice>
      ))}
      {rows.length ? (
        <Rows rows={rows} me={props.me} />
      ) : problems.length ? null : (
        <p className="jp-GpuQuota-quiet">
          {trans.__('Nothing is stored yet.')}
        </p>
      )}
    </>
  );
}

async function askStored(
  workspace: IGpuWorkspace,
  project: string
): Promise<IStored> {
  const read = (by: 'project' | 'user') =>
    workspace.call(routes.quotaStorage, { query: { project, by } });
  const [whole, owners] = await Promise.all([read('project'), read('user')]);
  const rows = whole.items.flatMap(kind => [
    kind,
    ...owners.items.filter(each => each.owner && each.kind === kind.kind)
  ]);
  return { rows, problems: whole.problems };
}

function Rows(props: { rows: readonly StorageUse[]; me: string }): JSX.Element {
  const { trans } = useUi();
  return (
    <table className="jp-GpuQuota-table jp-GpuQuota-storageUse">
      <thead>
        <tr>
          <th scope="col">{trans.__('Kind')}</th>
          <th scope="col">{trans.__('Items')}</th>
          <th
            scope="col"
            title={trans.__(
              'All items, each for itself; of volumes, what was requested'
            )}
          >
            {trans.__('Size')}
          </th>
          <th
            scope="col"
            title={trans.__(
              'What they take: contents that several have in common count once'
            )}
          >
            {trans.__('Stored')}
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map(use => (
          <tr
            key={`${use.kind}/${use.owner}`}
            className={use.owner ? 'jp-mod-owner' : undefined}
          >
            <th scope="row">{nameOf(use, props.me, trans)}</th>
            <td>{use.items}</td>
            <td>{use.size ? bytesText(use.size) : ''}</td>
            <td>{storedText(use, trans)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf(
  { kind, owner }: StorageUse,
  me: string,
  trans: TranslationBundle
): string {
  const texts: Table<StorageKind, string> = {
    datasets: trans.__('Datasets'),
    snapshots: trans.__('Snapshots'),
    volumes: trans.__('Volumes')
  };
  return owner === me && owner ? trans.__('You') : owner || textOf(texts, kind);
}

/** Return what is stored; of some volumes it may not be known. */
function storedText(
  { items, stored, unknown }: StorageUse,
  trans: TranslationBundle
): string {
  if (unknown === items) {
    return trans.__('unknown');
  }
  return unknown
    ? trans.__('%1 (%2 unknown)', bytesText(stored), unknown)
    : bytesText(stored);
}
