import React from 'react';
import { PolicyTrial } from '../api/models';
import { gpus, timeText } from './texts';
import { useUi } from './ui';

/** Show what a policy would have done over a recorded time, project by project. */
export function TrialTable({
  trial
}: {
  trial: PolicyTrial;
}): JSX.Element | null {
  const { trans } = useUi();
  const instead = (
    before: number,
    after: number,
    write: (value: number) => string = String
  ) =>
    before === after
      ? write(after)
      : trans.__('%1 instead of %2', write(after), write(before));
  return trial.projects.length ? (
    <div className="jp-GpuQuota-boardTable">
      <table className="jp-GpuQuota-table">
        <caption>
          {trans.__(
            'From %1 to %2',
            timeText(trial.since),
            timeText(trial.until)
          )}
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('Project')}</th>
            <th scope="col">{trans.__('Acted on')}</th>
            <th scope="col">{trans.__('Used again within an hour')}</th>
            <th scope="col">{trans.__('GPU hours given back')}</th>
          </tr>
        </thead>
        <tbody>
          {trial.projects.map(sum => (
            <tr key={sum.project}>
              <th scope="row">{sum.project}</th>
              <td>{instead(sum.acts_before, sum.acts)}</td>
              <td>{instead(sum.false_alarms_before, sum.false_alarms)}</td>
              <td>{instead(sum.returned_before, sum.returned, gpus)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  ) : null;
}
