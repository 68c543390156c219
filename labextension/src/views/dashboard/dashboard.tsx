import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import React from 'react';
import { ProjectUse, Quota } from '../../api/models';
import { CommandIDs } from '../../commands';
import { Simulated } from '../parts/controls';
import { isUndivided } from '../../state/quota';
import { Departments } from './departments';
import { HistoryBoard } from './history';
import { Failures, Loaded } from '../parts/loaded';
import { NodeTiles } from './nodetiles';
import { ProjectBars } from './projectbars';
import { SessionTables } from './sessiontables';
import { gpus } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

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
