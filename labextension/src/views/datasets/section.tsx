import { Widget } from '@lumino/widgets';
import React, { useCallback, useEffect, useMemo, useState } from 'react';
import {
  CachedVersion,
  CacheRoom,
  Dataset,
  DatasetList,
  Job
} from '../../api/models';
import { DatasetActions } from '../../state/datasets/actions';
import { Row, rowsOf } from '../../state/datasets/rows';
import { VersionLists } from '../../state/datasets/versions';
import { IResource } from '../../state/resource';
import { isOfSnapshots } from '../../state/snapshots/snapshots';
import { Notice } from '../parts/controls';
import { FilterField } from './listparts';
import { IPoint, openActions } from '../parts/menu';
import { report } from '../parts/report';
import {
  IUi,
  LiveWidget,
  useNow,
  useResult,
  useSignal,
  useUi
} from '../parts/ui';
import { VirtualList } from '../parts/virtuallist';
import { JobsView } from './joblist';
import { browse, datasetEntries, versionEntries } from './menu';
import { Offered } from './offered';
import { TreeRow } from './treerow';
import './style';
import { bytesText } from '../parts/amounts';

const ROW_HEIGHT = 62;
/** Datasets that are found without a filter. */
const FEW = 5;
const idOf = (row: Row) => row.id;

/** Make the content of the panel's section on datasets. */
export function makeSection(ui: IUi): Widget {
  const { workspace } = ui;
  const versions = new VersionLists(workspace);
  const widget = new LiveWidget(
    ui,
    <DatasetsView versions={versions} />,
    (['datasets', 'caches', 'jobs'] as const).map(
      noun => workspace.resource(noun) as IResource<unknown>
    )
  );
  widget.disposed.connect(() => versions.dispose());
  widget.addClass('jp-GpuQuota-datasetsSection');
  return widget;
}

/** Show all datasets with their versions, the jobs that work on them, and the cache. */
export function DatasetsView(props: { versions: VersionLists }): JSX.Element {
  return (
    <Offered resource={useUi().workspace.resource('datasets')}>
      {list => <Datasets list={list} versions={props.versions} />}
    </Offered>
  );
}

/** What else is known; a controller may have datasets and no cache. */
function useRest(): { caches: readonly CachedVersion[]; jobs: readonly Job[] } {
  const { workspace } = useUi();
  const caches = useResult(workspace.resource('caches'));
  const jobs = useResult(workspace.resource('jobs'));
  return useMemo(
    () => ({
      caches: caches.status === 'ready' ? caches.value.items : [],
      jobs: jobs.status === 'ready' ? jobs.value.items : []
    }),
    [caches, jobs]
  );
}

function Datasets(props: {
  list: DatasetList;
  versions: VersionLists;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const { items, problems } = props.list;
  const [filter, setFilter] = useState('');
  const actions = useMemo(() => new DatasetActions(workspace), [workspace]);
  const room = useResult(workspace.resource('caches'));
  const rest = useRest();
  useReadAgain(rest.jobs);
  return (
    <>
      {problems.map(problem => (
        <Notice key={problem}>{problem}</Notice>
      ))}
      {items.length > FEW ? (
        <div className="jp-GpuQuota-filter">
          <FilterField
            label={trans.__('Filter datasets by name, project or tag')}
            value={filter}
            onChange={setFilter}
          />
        </div>
      ) : null}
      <JobsView
        jobs={rest.jobs.filter(job => !isOfSnapshots(job))}
        actions={actions}
      />
      {items.length ? (
        <Tree {...props} {...rest} {...{ filter, actions, items }} />
      ) : (
        <Empty />
      )}
      {room.status === 'ready' ? <Room room={room.value.room} /> : null}
    </>
  );
}

/** Read open versions again when a job that may have made or fetched one has ended. */
function useReadAgain(jobs: readonly Job[]): void {
  const { workspace } = useUi();
  const ended = jobs
    .flatMap(({ id, state }) => (state === 'done' ? [id] : []))
    .join();
  const [known, setKnown] = useState(ended);
  useEffect(() => {
    if (ended !== known) {
      setKnown(ended);
      void workspace.resource('datasets').refresh();
      void workspace.resource('caches').refresh();
    }
  }, [ended, known, workspace]);
}

function Tree(props: {
  items: readonly Dataset[];
  caches: readonly CachedVersion[];
  jobs: readonly Job[];
  versions: VersionLists;
  actions: DatasetActions;
  filter: string;
}): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const { actions, caches, filter, items, jobs, versions } = props;
  const now = useNow(15_000);
  const [target, setTarget] = useState<string | null>(null);
  useSignal(versions.changed);
  const rows = rowsOf(
    items,
    name => (versions.isOpen(name) ? versions.of(name) : undefined),
    caches,
    jobs,
    filter
  );
  const toggle = useCallback(
    (row: Row, isOpen?: boolean) => versions.toggle(row.dataset.name, isOpen),
    [versions]
  );
  const menu = useCallback(
    (row: Row, at: IPoint, from: HTMLElement) => {
      const known = versions.of(row.dataset.name);
      const others = known.status === 'ready' ? known.value : [];
      const entries =
        row.kind === 'version'
          ? versionEntries(ui, actions, row, others)
          : datasetEntries(ui, actions, row.dataset);
      openActions(entries, at, from);
    },
    [ui, actions, versions]
  );
  const cancel = useCallback(
    (row: Row) => {
      if (row.kind === 'version' && row.copy.job) {
        void actions.cancel(row.copy.job).catch(error => report(trans, error));
      }
    },
    [actions, trans]
  );
  const open = useCallback(
    (row: Row) => {
      if (row.kind === 'version') {
        browse(ui, row.version);
      }
    },
    [ui]
  );
  const onKey = (row: Row, { key }: React.KeyboardEvent) => {
    if (key === 'ArrowRight' || key === 'ArrowLeft') {
      const isOpen = key === 'ArrowRight';
      if (row.kind === 'dataset') {
        toggle(row, isOpen);
      } else if (!isOpen) {
        setTarget(row.dataset.name); // from a version to its dataset
      }
    } else if (key === 'Enter' && row.kind === 'version') {
      open(row);
    } else if (key === 'Enter' || key === ' ') {
      toggle(row);
    }
  };
  return rows.length ? (
    <VirtualList
      label={trans.__('Datasets')}
      role="treegrid"
      items={rows}
      idOf={idOf}
      rowHeight={ROW_HEIGHT}
      target={target}
      onTarget={() => setTarget(null)}
      row={(row, place) => (
        <TreeRow
          key={row.id}
          {...place}
          row={row}
          now={now}
          isOpen={versions.isOpen(row.dataset.name)}
          onToggle={toggle}
          onOpen={open}
          onMenu={menu}
          onCancel={cancel}
        />
      )}
      onKey={onKey}
    />
  ) : (
    <p className="jp-GpuQuota-quiet">{trans.__('No matching datasets.')}</p>
  );
}

/** What to type: the same in every language. */
const BEGIN = 'jupyter gpu data init NAME\njupyter gpu data sync NAME FOLDER';

function Empty(): JSX.Element {
  const { trans } = useUi();
  return (
    <div className="jp-GpuQuota-empty">
      <p>{trans.__('No datasets yet.')}</p>
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'A dataset keeps versions of a folder in a lake; sessions mount a verified copy. To create one, in a terminal:'
        )}
      </p>
      <pre>{BEGIN}</pre>
    </div>
  );
}

/** Show how full the cache is, as a bar and in words. */
function Room({ room }: { room: CacheRoom }): JSX.Element | null {
  const { trans } = useUi();
  const { capacity, committed, evictable, free, used } = room;
  if (!capacity) {
    return null;
  }
  const fetching = Math.max(0, committed - used);
  const percent = (part: number) =>
    `${(100 * Math.max(0, part)) / Math.max(capacity, committed)}%`;
  const text = [
    trans.__('%1 of %2 used', bytesText(used), bytesText(capacity)),
    evictable ? trans.__('%1 of it evictable', bytesText(evictable)) : '',
    fetching ? trans.__('%1 being fetched', bytesText(fetching)) : '',
    trans.__('%1 free', bytesText(free))
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <div
      className="jp-GpuQuota-room"
      title={trans.__(
        'Evictable copies are used by no session and pinned by nobody: they go first when room is needed.'
      )}
    >
      <div
        className="jp-GpuQuota-meter"
        role="meter"
        aria-label={trans.__('Cache')}
        aria-valuemin={0}
        aria-valuemax={capacity}
        aria-valuenow={Math.min(used, capacity)}
        aria-valuetext={text}
      >
        <div
          className="jp-GpuQuota-meterBar"
          style={{ width: percent(used - evictable) }}
        />
        <div
          className="jp-GpuQuota-meterBar jp-mod-evictable"
          style={{ width: percent(evictable) }}
        />
        <div
          className="jp-GpuQuota-meterBar jp-mod-fetching"
          style={{ width: percent(fetching) }}
        />
      </div>
      <p className="jp-GpuQuota-quiet">
        {trans.__('Cache')}: {text}
      </p>
    </div>
  );
}
