import { closeIcon } from '@jupyterlab/ui-components';
import React, { useState } from 'react';
import { Job } from '../../api/models';
import { DatasetActions } from '../../state/datasets/actions';
import { isActive, partOf } from '../../state/datasets/rows';
import { IconButton, Notice } from '../parts/controls';
import { report } from '../parts/report';
import { useUi } from '../parts/ui';
import { jobText, progressText } from './texts';

/** For how long the failure of a job is shown, in milliseconds. */
const SHOWN = 3_600_000;
/** Damaged paths that are shown; the shell shows all. */
const PATHS = 5;

/** Show jobs that run, with their progress, and those that have failed of late. */
export function JobsView(props: {
  jobs: readonly Job[];
  actions: DatasetActions;
}): JSX.Element | null {
  const { trans } = useUi();
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const shown = props.jobs.filter(
    (job, index) =>
      isActive(job) ||
      (hasFailed(job) &&
        Date.parse(job.updated) > Date.now() - SHOWN &&
        !dismissed.includes(job.id) &&
        // One that was tried again is of no more interest; the newest comes first.
        !props.jobs
          .slice(0, index)
          .some(
            ({ dataset, kind }) => dataset === job.dataset && kind === job.kind
          ))
  );
  return shown.length ? (
    <ul className="jp-GpuQuota-jobs" aria-label={trans.__('Jobs')}>
      {shown.map(job =>
        isActive(job) ? (
          <Running key={job.id} job={job} actions={props.actions} />
        ) : (
          <Failed
            key={job.id}
            job={job}
            onDismiss={() => setDismissed([...dismissed, job.id])}
          />
        )
      )}
    </ul>
  ) : null;
}

function hasFailed({ findings = [], state }: Job): boolean {
  return state === 'failed' || state === 'lost' || findings.length > 0;
}

function Running(props: { job: Job; actions: DatasetActions }): JSX.Element {
  const { trans } = useUi();
  const { job, actions } = props;
  const what = jobText(trans, job);
  const progress = progressText(trans, job);
  const cancel = () => {
    void actions.cancel(job).catch(error => report(trans, error));
  };
  return (
    <li>
      <div className="jp-GpuQuota-jobLine">
        <span className="jp-GpuQuota-name" title={what}>
          {what}
        </span>
        <IconButton
          icon={closeIcon}
          label={trans.__('Cancel: %1', what)}
          disabled={job.cancelling}
          onClick={cancel}
        />
      </div>
      <progress
        aria-label={what}
        max={1}
        value={job.state === 'running' && job.size ? partOf(job) : undefined}
      />
      <div className="jp-GpuQuota-quiet">{progress}</div>
    </li>
  );
}

function Failed(props: { job: Job; onDismiss: () => void }): JSX.Element {
  const { trans } = useUi();
  const { job } = props;
  const { findings = [], problem } = job;
  const what = jobText(trans, job);
  return (
    <li>
      <Notice>
        <div className="jp-GpuQuota-jobLine">
          <strong>{trans.__('%1: %2', what, progressText(trans, job))}</strong>
          <IconButton
            icon={closeIcon}
            label={trans.__('Dismiss: %1', what)}
            onClick={props.onDismiss}
          />
        </div>
        {problem ? <p>{problem.message}</p> : null}
        {problem?.fields.map(({ field, hint, message }) => (
          <p key={field + message}>{[message, hint].join(' ')}</p>
        ))}
        {problem?.hint ? <p>{problem.hint}</p> : null}
        {findings.length ? (
          <p>
            {trans._n('%1 damaged file:', '%1 damaged files:', findings.length)}{' '}
            {findings.slice(0, PATHS).join(', ')}
            {findings.length > PATHS ? '…' : ''}
          </p>
        ) : null}
      </Notice>
    </li>
  );
}
