import { TranslationBundle } from '@jupyterlab/translation';
import React, { lazy, Suspense, useState } from 'react';
import { About, ProjectUse, Quota } from '../../api/models';
import { isUndivided } from '../../state/quota';
import { groupQueued, IQueuedGroup } from '../../state/queued';
import { Result } from '../../state/resource';
import { Pending } from '../parts/controls';
import { groupText } from '../parts/queuedtexts';
import { gpus, lineText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/** Loaded when it is first opened. */
const StorageTable = lazy(
  () => import(/* webpackChunkName: "storage" */ './storageuse')
);

/** Capabilities of what takes storage. */
const STORED = ['datasets', 'snapshots', 'volumes'];

/** Why sessions of the project are queued. */
export function Queued(props: { project: ProjectUse }): JSX.Element | null {
  const { workspace, trans } = useUi();
  const sessions = useResult(workspace.sessions);
  const { name, waiting } = props.project;
  if (!waiting) {
    return null;
  }
  const queued =
    sessions.status === 'ready'
      ? sessions.value.items.filter(({ spec }) => spec.project === name)
      : [];
  return (
    <details className="jp-GpuQuota-disclosure">
      <summary>
        {trans._n(
          '%1 session queued – why?',
          '%1 sessions queued – why?',
          waiting
        )}
      </summary>
      <ul>
        {groupQueued(queued).map(group => (
          <QueuedLine key={`${group.code} ${group.project}`} group={group} />
        ))}
      </ul>
    </details>
  );
}

/** What the project stores, where the controller keeps anything. */
export function Storage(props: {
  project: string;
  about: Result<About>;
  me: string;
}): JSX.Element | null {
  const { trans } = useUi();
  const { about, me, project } = props;
  const [isOpen, setOpen] = useState(false);
  const keeps =
    about.status === 'ready' &&
    about.value.capabilities.some(name => STORED.includes(name));
  return keeps ? (
    <details
      className="jp-GpuQuota-disclosure"
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{trans.__('Storage')}</summary>
      {isOpen ? (
        <Suspense fallback={<Pending trans={trans} />}>
          <StorageTable key={project} project={project} me={me} />
        </Suspense>
      ) : null}
    </details>
  ) : null;
}

/** What several sessions wait for, and why the one does that is served first. */
function QueuedLine({ group }: { group: IQueuedGroup }): JSX.Element {
  const { trans } = useUi();
  const [first] = group.sessions;
  const { reason, spec } = first;
  return (
    <li>
      {group.sessions.length > 1 ? <b>{groupText(trans, group)}</b> : null}{' '}
      {trans.__(
        '%1: %2',
        [spec.name, lineText(trans, first)].filter(Boolean).join(', '),
        reason?.message ??
          trans.__('Will be considered in the next scheduling round.')
      )}
      {reason?.hint ? (
        <span className="jp-GpuQuota-quiet"> {reason.hint}</span>
      ) : null}
    </li>
  );
}

/** Return how much of all GPUs is in use, and by others than sessions. */
export function machineText(quota: Quota, trans: TranslationBundle): string {
  if (!quota.capacity) {
    return trans.__('No GPUs: sessions run on CPUs.');
  }
  const amounts = [gpus(quota.allocated), gpus(quota.capacity)];
  const used = isUndivided(quota)
    ? trans.__('%1 of %2 GPUs in use', ...amounts)
    : trans.__('All projects: %1 of %2 GPUs in use', ...amounts);
  return quota.others
    ? trans.__('%1, %2 by other workloads', used, gpus(quota.others))
    : used;
}
