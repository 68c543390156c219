import { Widget } from '@lumino/widgets';
import React, { useCallback, useEffect, useMemo, useState } from 'react';
import { CachedVersion, Dataset, DatasetList, Job } from '../../api/models';
import { DatasetActions } from '../../state/datasets/actions';
import { Row, rowsOf } from '../../state/datasets/rows';
import { VersionLists } from '../../state/datasets/versions';
import { IResource } from '../../state/resource';
import { isOfSnapshots } from '../../state/snapshots/snapshots';
import { Notice } from '../parts/controls';
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
import { Room } from './room';
import { TreeRow } from './treerow';
import './style';

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
  useReadAgain(props.versions, rest.jobs);
  return (
    <>
      {problems.map(problem => (
        <Notice key={problem}>{problem}</Notice>
      ))}
      {items.length > FEW ? (
        <div className="jp-GpuQuota-filter">
          <input
            type="search"
            className="jp-GpuQuota-input"
            placeholder={trans.__('Filter')}
            aria-label={trans.__('Filter datasets by name, project or tag')}
            value={filter}
            onChange={event => setFilter(event.target.value)}
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
function useReadAgain(versions: VersionLists, jobs: readonly Job[]): void {
  const { workspace } = useUi();
  const ended = jobs
    .filter(({ state }) => state === 'done')
    .map(({ id }) => id)
    .join();
  const [known, setKnown] = useState(ended);
  useEffect(() => {
    if (ended !== known) {
      setKnown(ended);
      void workspace.resource('datasets').refresh();
      void workspace.resource('caches').refresh();
    }
  }, [ended, known, versions, workspace]);
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
    const { name } = row.dataset;
    if (key === 'ArrowRight' || key === 'ArrowLeft') {
      const isOpen = key === 'ArrowRight';
      if (row.kind === 'dataset') {
        toggle(row, isOpen);
      } else if (!isOpen) {
        setTarget(name); // from a version to its dataset
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
