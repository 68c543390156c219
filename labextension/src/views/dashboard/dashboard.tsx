import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import React from 'react';
import { Department, ProjectUse, Quota } from '../../api/models';
import { CommandIDs } from '../../commands';
import { Simulated } from '../parts/controls';
import { isUndivided, pathOf } from '../../state/quota';
import { HistoryBoard } from './history';
import { Failures, Loaded } from '../parts/loaded';
import { NodeTiles } from './nodetiles';
import { ProjectBars } from './projectbars';
import { SessionTables } from './sessiontables';
import { gpus } from '../parts/texts';
import { IUi, LiveWidget, useResult, useUi, inMain } from '../parts/ui';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { DataTable, ITableColumn } from '../parts/datatable';

const NONE: readonly ProjectUse[] = [];

/** Show how the whole machine or cluster is shared out, and who waits for what. */
export function DashboardView(props: {
  renderMime: IRenderMimeRegistry | null;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const { nodes, quota: quotas, sessions } = workspace;
  const { history } = workspace.past;
  const about = useResult(workspace.about);
  const me = about.status === 'ready' ? about.value.user : '';
  const quota = useResult(quotas);
  const projects = quota.status === 'ready' ? quota.value.projects : NONE;
  const isWhole = quota.status === 'ready' && isUndivided(quota.value);
  const records =
    about.status === 'ready' && about.value.capabilities.includes('history');
  return (
    <div className="jp-GpuQuota-dashboard">
      <h2>{trans.__('GPU dashboard')}</h2>
      <Failures
        key={String(records)}
        resources={[quotas, sessions, nodes, ...(records ? [history] : [])]}
      />
      <Loaded resource={quotas} isQuiet>
        {value => (
          <>
            <Totals quota={value} />
            {isUndivided(value) ? null : (
              <>
                <ProjectBars projects={value.projects} me={me} />
                <Departments quota={value} />
              </>
            )}
          </>
        )}
      </Loaded>
      <Loaded resource={sessions} isQuiet>
        {({ items }) => (
          <SessionTables sessions={items} {...{ projects, isWhole }} />
        )}
      </Loaded>
      <Loaded resource={nodes} isQuiet>
        {({ nodes }) => <NodeTiles nodes={nodes} />}
      </Loaded>
      {records ? <HistoryBoard renderMime={props.renderMime} /> : null}
    </div>
  );
}

function Totals({ quota }: { quota: Quota }): JSX.Element {
  const { commands, trans } = useUi();
  const waiting = quota.projects.reduce((sum, use) => sum + use.waiting, 0);
  const totals = [
    [trans.__('GPUs'), gpus(quota.capacity)],
    [trans.__('In use'), gpus(quota.allocated)],
    ...(quota.others
      ? [[trans.__('Other workloads'), gpus(quota.others)]]
      : []),
    [trans.__('Free'), gpus(quota.free)],
    [trans.__('Queued sessions'), String(waiting)]
  ];
  return (
    <div className="jp-GpuQuota-totals">
      <dl>
        {totals.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {quota.simulated ? <Simulated trans={trans} /> : null}
      {quota.admin && !isUndivided(quota) ? (
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          onClick={() => void commands.execute(CommandIDs.projects)}
        >
          {trans.__('Manage projects')}
        </button>
      ) : null}
    </div>
  );
}

/** Make the team's dashboard. */
export function makeDashboardWidget(
  ui: IUi,
  renderMime: IRenderMimeRegistry | null
): MainAreaWidget {
  const { about, quota, sessions, nodes, past } = ui.workspace;
  const content = new LiveWidget(
    ui,
    <DashboardView renderMime={renderMime} />,
    [about, quota, sessions, nodes, past.history]
  );
  content.addClass('jp-GpuQuota-dashboardWidget');
  return inMain(content);
}

/** What departments are guaranteed, limited to, and hold, where the engine has any. */
function Departments({ quota }: { quota: Quota }): JSX.Element | null {
  const { trans } = useUi();
  const departments = quota.departments ?? [];
  const text = (
    id: string,
    label: string,
    of: (row: Department) => string
  ): ITableColumn<Department> => ({ id, label, text: of, sortKey: of });
  const amount = (
    id: 'quota' | 'limit' | 'allocated',
    label: string
  ): ITableColumn<Department> => ({
    id,
    label,
    isNumber: true,
    text: row =>
      row[id] === null ? trans.__('unlimited') : gpus(row[id] as number),
    sortKey: row => row[id] ?? Infinity,
    csv: row => (row[id] === null ? null : (row[id] as number) / 1000)
  });
  const path = (row: Department) =>
    pathOf(quota, row)
      .map(({ name }) => name)
      .reverse();
  return departments.length ? (
    <DataTable
      title={trans.__('Departments')}
      file="gpu-departments"
      columns={[
        {
          ...text('name', trans.__('Department'), ({ name }) => name),
          // A tree: each department follows the one that it is part of.
          sortKey: row => path(row).join(' / '),
          cell: row => (
            <span style={{ paddingInlineStart: `${path(row).length - 1}em` }}>
              {row.name}
            </span>
          )
        },
        text('parent', trans.__('Part of'), row =>
          path(row).slice(0, -1).join(' / ')
        ),
        text('projects', trans.__('Projects'), ({ projects }) =>
          projects.join(', ')
        ),
        amount('allocated', trans.__('GPUs in use')),
        amount('quota', trans.__('Quota')),
        amount('limit', trans.__('Limit'))
      ]}
      rows={departments}
      idOf={({ name }) => name}
      sort={{ column: 'name', descending: false }}
      empty={trans.__('No departments')}
    />
  ) : null;
}
