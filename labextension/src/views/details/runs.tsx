import React, { useEffect, useState } from 'react';
import { Run, RunList, Session } from '../../api/models';
import { can } from '../../state/sessions';
import { Facts } from '../parts/facts';
import { timeText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/** The runs of a session that MLflow has recorded, where the server can read them. */
export function Runs({ session }: { session: Session }): JSX.Element | null {
  const { trans, workspace } = useUi();
  const about = useResult(workspace.about);
  const [runs, setRuns] = useState<RunList>({
    items: [],
    store: '',
    problem: ''
  });
  const isAllowed =
    about.status === 'ready' &&
    about.value.capabilities.includes('runs') &&
    can(session, 'log');
  useEffect(() => {
    if (isAllowed) {
      workspace.actions
        .runs(session.id)
        .then(setRuns, ({ message }: Error) =>
          setRuns({ ...runs, problem: message })
        );
    }
  }, [session, isAllowed]);
  return runs.items.length || runs.problem ? (
    <section>
      <h3>{trans.__('Runs')}</h3>
      <p className="jp-GpuQuota-quiet">{runs.problem}</p>
      {runs.items.map(run => (
        <OneRun key={run.id} run={run} />
      ))}
    </section>
  ) : null;
}

function OneRun({ run }: { run: Run }): JSX.Element {
  const { trans } = useUi();
  const pairs = (values: Readonly<Record<string, string | number>>) =>
    Object.entries(values)
      .map(([key, value]) => `${key}=${value}`)
      .join(', ');
  return (
    <details className="jp-GpuQuota-disclosure">
      <summary>
        {run.name || run.id}{' '}
        <span className="jp-GpuQuota-quiet">
          {[run.status, run.begun && timeText(run.begun), pairs(run.metrics)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </summary>
      <Facts
        facts={[
          [trans.__('Parameters'), pairs(run.params)],
          [trans.__('Data'), pairs(run.data)],
          [trans.__('Code'), `${run.source} ${run.commit.slice(0, 12)}`.trim()],
          [trans.__('GPU'), run.gpu === null ? '' : `${Math.round(run.gpu)} %`],
          [trans.__('Artifacts'), run.artifacts.join(', ')],
          [trans.__('Snapshot'), run.snapshot.slice(0, 12)]
        ]}
      />
    </details>
  );
}
