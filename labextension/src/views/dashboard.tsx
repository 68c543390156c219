import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import React from 'react';
import { Quota } from '../api/models';
import { CommandIDs } from '../commands';
import { Simulated } from './common';
import { HistoryBoard } from './history';
import { Loaded } from './loaded';
import { NodeTiles } from './nodetiles';
import { ProjectBars } from './projectbars';
import { SessionTables } from './sessiontables';
import { gpus } from './texts';
import { useResult, useUi } from './ui';

/** Show how the whole machine or cluster is shared out, and who waits for what. */
export function DashboardView(props: {
  renderMime: IRenderMimeRegistry | null;
}): JSX.Element {
  const { quota, trans } = useUi();
  const about = useResult(quota.about);
  const me = about.status === 'ready' ? about.value.user : '';
  const records =
    about.status === 'ready' && about.value.capabilities.includes('history');
  return (
    <div className="jp-GpuQuota-dashboard">
      <h2>{trans.__('Team dashboard')}</h2>
      <Loaded resource={quota.quota}>
        {value => (
          <>
            <Totals quota={value} />
            <ProjectBars projects={value.projects} me={me} />
          </>
        )}
      </Loaded>
      <Loaded resource={quota.sessions}>
        {({ items }) => <SessionTables sessions={items} />}
      </Loaded>
      <Loaded resource={quota.nodes}>
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
    [trans.__('Allocated'), gpus(quota.allocated)],
    ...(quota.others
      ? [[trans.__('Other workloads'), gpus(quota.others)]]
      : []),
    [trans.__('Idle'), gpus(quota.free)],
    [trans.__('Sessions waiting'), String(waiting)]
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
      {quota.admin ? (
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          onClick={() => void commands.execute(CommandIDs.projects)}
        >
          {trans.__('Change projects')}
        </button>
      ) : null}
    </div>
  );
}
