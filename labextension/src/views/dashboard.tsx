import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Quota } from '../api/models';
import { IResource } from '../state/resource';
import { ErrorNotice, Pending, Simulated } from './common';
import { HistoryBoard } from './history';
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
            <Totals quota={value} trans={trans} />
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

/** Show a resource once it is there; until then, or where it fails, say so. */
function Loaded<T>(props: {
  resource: IResource<T>;
  children: (value: T) => JSX.Element;
}): JSX.Element {
  const { trans } = useUi();
  const { resource } = props;
  const result = useResult(resource);
  const retry = () => void resource.refresh();
  switch (result.status) {
    case 'pending':
      return <Pending trans={trans} />;
    case 'error':
      return <ErrorNotice trans={trans} error={result.error} onRetry={retry} />;
    case 'ready':
      return (
        <>
          {result.error ? (
            <ErrorNotice
              trans={trans}
              title={trans.__('This may be out of date.')}
              error={result.error}
              onRetry={retry}
            />
          ) : null}
          {props.children(result.value)}
        </>
      );
  }
}

function Totals(props: {
  quota: Quota;
  trans: TranslationBundle;
}): JSX.Element {
  const { quota, trans } = props;
  const waiting = quota.projects.reduce((sum, use) => sum + use.waiting, 0);
  const totals = [
    [trans.__('GPUs'), gpus(quota.capacity)],
    [trans.__('Allocated'), gpus(quota.allocated)],
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
    </div>
  );
}
