import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo, useState } from 'react';
import { Snapshot, SnapshotList } from '../../api/models';
import { IResource } from '../../state/resource';
import { isStored, may } from '../../state/snapshots/snapshots';
import { bytesText } from '../parts/amounts';
import { Badge } from '../parts/controls';
import { DataTable, ITableColumn } from '../parts/datatable';
import { Loaded } from '../parts/loaded';
import { timeText } from '../parts/texts';
import { useUi } from '../parts/ui';
import { compare, open } from './menu';
import { addedText, snapshotStateText, titleOf, triggerText } from './texts';

/** Show all snapshots in a table: to search, to sort, and to compare two. */
export function SnapshotTable(props: {
  resource: IResource<SnapshotList>;
}): JSX.Element {
  return (
    <div className="jp-GpuQuota-dashboard">
      <Loaded resource={props.resource}>
        {list => <Tables list={list} />}
      </Loaded>
    </div>
  );
}

function Tables({ list }: { list: SnapshotList }): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const [picked, setPicked] = useState<readonly string[]>([]);
  const chosen = list.items.filter(({ id }) => picked.includes(id));
  const columns = useMemo(
    () =>
      columnsOf(trans, {
        onOpen: snapshot => open(ui, snapshot),
        isPicked: ({ id }) => picked.includes(id),
        // The one that was picked first makes room for the third.
        onPick: ({ id }, isPicked) =>
          setPicked(
            isPicked
              ? [...picked, id].slice(-2)
              : picked.filter(other => other !== id)
          )
      }),
    [trans, ui, picked]
  );
  return (
    <>
      <div className="jp-GpuQuota-buttons">
        <button
          type="button"
          className="jp-GpuQuota-button"
          disabled={chosen.length !== 2}
          onClick={() => compare(ui, chosen[0], chosen[1])}
        >
          {trans.__('Compare')}
        </button>
        <span className="jp-GpuQuota-quiet" role="status">
          {chosen.length === 2
            ? chosen.map(titleOf).join(' → ')
            : trans.__('Pick two snapshots to compare them.')}
        </span>
      </div>
      <DataTable
        title={trans.__('Snapshots')}
        file="gpu-snapshots"
        columns={columns}
        rows={list.items}
        idOf={({ id }) => id}
        sort={{ column: 'created', descending: true }}
        empty={trans.__('No snapshots yet.')}
      />
      {list.total > list.items.length ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'Showing the first %1 of %2.',
            list.items.length.toLocaleString(),
            list.total.toLocaleString()
          )}
        </p>
      ) : null}
      <DataTable
        title={trans.__('Storage used')}
        file="gpu-snapshot-room"
        columns={roomColumns(trans)}
        rows={list.uses}
        idOf={({ owner, project }) => `${project}/${owner}`}
        sort={{ column: 'added', descending: true }}
        empty={trans.__('No snapshots yet.')}
      />
    </>
  );
}

function inOneLine(text: string): JSX.Element {
  return <span className="jp-GpuQuota-oneLine">{text}</span>;
}

function columnsOf(
  trans: TranslationBundle,
  handlers: {
    onOpen: (snapshot: Snapshot) => void;
    isPicked: (snapshot: Snapshot) => boolean;
    onPick: (snapshot: Snapshot, isPicked: boolean) => void;
  }
): ITableColumn<Snapshot>[] {
  const { isPicked, onOpen, onPick } = handlers;
  const plain = (
    id: string,
    label: string,
    text: (snapshot: Snapshot) => string
  ): ITableColumn<Snapshot> => ({ id, label, text, sortKey: text });
  const canSee = (snapshot: Snapshot) =>
    may(snapshot, 'see') && isStored(snapshot);
  return [
    {
      ...plain('note', trans.__('Snapshot'), titleOf),
      cell: snapshot =>
        canSee(snapshot) ? (
          <span className="jp-GpuQuota-pick">
            <input
              type="checkbox"
              aria-label={trans.__('Compare %1', titleOf(snapshot))}
              checked={isPicked(snapshot)}
              onChange={event => onPick(snapshot, event.target.checked)}
            />
            <button
              type="button"
              className="jp-GpuQuota-linkButton"
              onClick={() => onOpen(snapshot)}
            >
              {titleOf(snapshot)}
            </button>
          </span>
        ) : (
          titleOf(snapshot)
        )
    },
    {
      ...plain('tags', trans.__('Tags'), ({ pin, tags }) =>
        [...tags, ...(pin ? [trans.__('pinned')] : [])].join(', ')
      ),
      cell: ({ pin, tags }) => (
        <>
          {tags.map(tag => (
            <Badge key={tag} kind="here">
              {tag}
            </Badge>
          ))}
          {pin ? <Badge title={pin.why}>{trans.__('pinned')}</Badge> : null}
        </>
      )
    },
    plain('session', trans.__('Session'), ({ name }) => name),
    plain('project', trans.__('Project'), ({ project }) => project),
    plain('owner', trans.__('Owner'), ({ owner }) => owner),
    {
      id: 'created',
      label: trans.__('Taken'),
      text: ({ created }) => timeText(created),
      cell: ({ created }) => inOneLine(timeText(created)),
      sortKey: ({ created }) => created
    },
    plain('state', trans.__('State'), each => snapshotStateText(trans, each)),
    {
      id: 'size',
      label: trans.__('Size'),
      text: ({ size }) => bytesText(size),
      cell: ({ size }) => inOneLine(bytesText(size)),
      sortKey: ({ size }) => size
    },
    {
      id: 'added',
      label: trans.__('New'),
      text: ({ added }) => addedText(added),
      cell: ({ added }) => inOneLine(addedText(added)),
      sortKey: ({ added }) => added ?? -1
    },
    plain('trigger', trans.__('Trigger'), ({ trigger }) =>
      triggerText(trans, trigger)
    ),
    plain('metrics', trans.__('Metrics'), ({ metrics }) =>
      Object.entries(metrics)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')
    )
  ];
}

function roomColumns(
  trans: TranslationBundle
): ITableColumn<SnapshotList['uses'][number]>[] {
  return [
    {
      id: 'project',
      label: trans.__('Project'),
      text: ({ project }) => project,
      sortKey: ({ project }) => project
    },
    {
      id: 'owner',
      label: trans.__('Owner'),
      text: ({ owner }) => owner,
      sortKey: ({ owner }) => owner
    },
    {
      id: 'snapshots',
      label: trans.__('Snapshots'),
      text: ({ snapshots }) => String(snapshots),
      sortKey: ({ snapshots }) => snapshots
    },
    {
      id: 'size',
      label: trans.__('Size'),
      text: ({ size }) => bytesText(size),
      sortKey: ({ size }) => size
    },
    {
      id: 'added',
      label: trans.__('Stored'),
      text: ({ added }) => addedText(added),
      sortKey: ({ added }) => added ?? -1
    }
  ];
}
