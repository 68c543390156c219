import { Widget } from '@lumino/widgets';
import React, { useCallback, useMemo, useState } from 'react';
import { RestorationList, Snapshot, SnapshotList } from '../../api/models';
import { CommandIDs } from '../../commands';
import { DatasetActions } from '../../state/datasets/actions';
import { IResource } from '../../state/resource';
import { allRestores } from '../../state/snapshots/list';
import { SnapshotActions } from '../../state/snapshots/actions';
import {
  isOfSnapshots,
  isStored,
  matching,
  may
} from '../../state/snapshots/snapshots';
import { JobsView } from '../datasets/joblist';
import { Offered } from '../datasets/offered';
import { bytesText } from '../parts/amounts';
import { Notice } from '../parts/controls';
import { FilterField } from '../datasets/listparts';
import { IPoint, openActions } from '../parts/menu';
import { report } from '../parts/report';
import { IUi, LiveWidget, useMe, useNow, useResult, useUi } from '../parts/ui';
import { VirtualList } from '../parts/virtuallist';
import { removeSnapshot } from './forms';
import { open, snapshotEntries } from './menu';
import { changeRules } from './rules';
import { SnapshotRow } from './row';
import '../datasets/style';
import { restoreText } from './texts';

const ROW_HEIGHT = 62;
/** Snapshots that are found without a filter. */
const FEW = 5;
const idOf = (snapshot: Snapshot) => snapshot.id;

interface IProps {
  restores: IResource<RestorationList>;
}

/** Make the content of the panel's section on snapshots. */
export function makeSection(ui: IUi): Widget {
  const { workspace } = ui;
  const restores = allRestores(workspace);
  const widget = new LiveWidget(ui, <SnapshotsView restores={restores} />, [
    workspace.resource('snapshots') as IResource<unknown>,
    workspace.resource('jobs') as IResource<unknown>,
    restores as IResource<unknown>
  ]);
  widget.disposed.connect(() => restores.dispose());
  widget.addClass('jp-GpuQuota-datasetsSection');
  return widget;
}

/** Show the newest snapshots, those that are being taken, and restores that go on or have failed. */
export function SnapshotsView({ restores }: IProps): JSX.Element {
  return (
    <Offered resource={useUi().workspace.resource('snapshots')}>
      {list => <Snapshots list={list} restores={restores} />}
    </Offered>
  );
}

function Snapshots(props: IProps & { list: SnapshotList }): JSX.Element {
  const ui = useUi();
  const { commands, trans, workspace } = ui;
  const about = useResult(workspace.about);
  const keepsRules =
    about.status === 'ready' && about.value.capabilities.includes('keeping');
  const [filter, setFilter] = useState('');
  const { list, restores } = props;
  const { items, problems } = list;
  const jobs = useResult(workspace.resource('jobs'));
  const cancelling = useMemo(() => new DatasetActions(workspace), [workspace]);
  const actions = useMemo(() => new SnapshotActions(workspace), [workspace]);
  return (
    <>
      {problems.map(problem => (
        <Notice key={problem}>{problem}</Notice>
      ))}
      <div className="jp-GpuQuota-filter">
        {items.length > FEW ? (
          <FilterField
            label={trans.__('Filter snapshots by note, tag or session')}
            value={filter}
            onChange={setFilter}
          />
        ) : null}
        <button
          type="button"
          className="jp-GpuQuota-button"
          onClick={() => void commands.execute(CommandIDs.takeSnapshot)}
        >
          {trans.__('Take…')}
        </button>
        {items.length ? (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => void commands.execute(CommandIDs.snapshots)}
          >
            {trans.__('Show all')}
          </button>
        ) : null}
        {keepsRules ? (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={() =>
              void changeRules(ui).catch(error => report(trans, error))
            }
          >
            {trans.__('Rules…')}
          </button>
        ) : null}
      </div>
      <JobsView
        jobs={
          jobs.status === 'ready' ? jobs.value.items.filter(isOfSnapshots) : []
        }
        actions={cancelling}
      />
      <Restores resource={restores} />
      {items.length ? (
        <List {...{ actions, items }} shown={matching(items, filter)} />
      ) : (
        <Empty />
      )}
      <Total list={list} />
    </>
  );
}

function List(props: {
  items: readonly Snapshot[];
  shown: readonly Snapshot[];
  actions: SnapshotActions;
}): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const { actions, items, shown } = props;
  const me = useMe();
  const now = useNow(15_000);
  const menu = useCallback(
    (snapshot: Snapshot, at: IPoint, from: HTMLElement) =>
      openActions(snapshotEntries(ui, actions, snapshot, items), at, from),
    [ui, actions, items]
  );
  return shown.length ? (
    <VirtualList
      label={trans.__('Snapshots')}
      items={shown}
      idOf={idOf}
      rowHeight={ROW_HEIGHT}
      target={null}
      onTarget={() => undefined}
      row={(snapshot, row) => (
        <SnapshotRow
          key={row.id}
          {...row}
          {...{ me, now, snapshot }}
          onMenu={menu}
        />
      )}
      onKey={(snapshot, { key }) => {
        if (key === 'Enter' && may(snapshot, 'see') && isStored(snapshot)) {
          open(ui, snapshot);
        } else if (key === 'Delete' && may(snapshot, 'remove')) {
          void removeSnapshot(ui, actions, snapshot);
        }
      }}
    />
  ) : (
    <p className="jp-GpuQuota-quiet">{trans.__('No matching snapshots.')}</p>
  );
}

function Empty(): JSX.Element {
  const { trans } = useUi();
  return (
    <div className="jp-GpuQuota-empty">
      <p>{trans.__('No snapshots yet.')}</p>
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'A snapshot keeps the files, code, packages and data of a session, to compare and to restore.'
        )}
      </p>
    </div>
  );
}

/** How much room one's snapshots take. */
function Total({ list }: { list: SnapshotList }): JSX.Element | null {
  const { trans } = useUi();
  const me = useMe();
  const mine = list.uses.filter(({ owner }) => owner === me);
  const sum = (pick: (use: (typeof mine)[number]) => number) =>
    mine.reduce((total, use) => total + pick(use), 0);
  const unknown = sum(use => use.unknown ?? 0);
  return mine.length ? (
    <p className="jp-GpuQuota-quiet">
      {trans._n(
        '%1 snapshot, %2 stored',
        '%1 snapshots, %2 stored',
        sum(use => use.snapshots),
        bytesText(sum(use => use.added))
      )}
      {unknown
        ? trans._n(
            '; what %1 takes is not known',
            '; what %1 take is not known',
            unknown
          )
        : ''}
    </p>
  ) : null;
}

/** Show restores that go on, and why others have failed. */
function Restores(props: {
  resource: IResource<RestorationList>;
}): JSX.Element | null {
  const { trans } = useUi();
  const result = useResult(props.resource);
  const all = result.status === 'ready' ? result.value.items : [];
  const shown = all.filter(({ state }) => state !== 'done');
  return shown.length ? (
    <ul className="jp-GpuQuota-jobs" aria-label={trans.__('Restores')}>
      {shown.map(restore => {
        const { id, problem, state } = restore;
        const text = restoreText(trans, restore);
        return (
          <li key={id}>
            {state === 'failed' ? (
              <Notice>
                <strong>{text}</strong>
                {problem ? (
                  <p>{[problem.message, problem.hint].join(' ')}</p>
                ) : null}
              </Notice>
            ) : (
              <p>{text}</p>
            )}
          </li>
        );
      })}
    </ul>
  ) : null;
}
