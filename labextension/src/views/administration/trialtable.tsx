import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { PolicyTrial, TrialAct } from '../../api/models';
import { textOf } from '../../api/vocabulary';
import { useSessionNames } from '../parts/sessionnames';
import { clockText, gpus, timeText } from '../parts/texts';
import { useUi } from '../parts/ui';

/** How many of the acts stand in the table. */
const SHOWN = 20;

/** Show what a policy would have done over a recorded time: per project, and to whom when. */
export function TrialTable({ trial }: { trial: PolicyTrial }): JSX.Element {
  return (
    <>
      {trial.projects.length ? <Projects trial={trial} /> : null}
      {trial.acts.length ? <Acts trial={trial} /> : null}
    </>
  );
}

function Projects({ trial }: { trial: PolicyTrial }): JSX.Element {
  const { trans } = useUi();
  const instead = (
    before: number,
    after: number,
    write: (value: number) => string = String
  ) =>
    before === after
      ? write(after)
      : trans.__('%2 → %1', write(after), write(before));
  return (
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
            <th scope="col">{trans.__('Actions')}</th>
            <th scope="col">{trans.__('Used again within 1 h')}</th>
            <th scope="col">{trans.__('GPU hours freed')}</th>
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
  );
}

/** List the newest acts, as the server orders them. */
function Acts({ trial }: { trial: PolicyTrial }): JSX.Element {
  const { trans } = useUi();
  const nameOf = useSessionNames();
  const shown = trial.acts.slice(0, SHOWN);
  const left = trial.count - shown.length;
  return (
    <>
      <div className="jp-GpuQuota-boardTable">
        <table className="jp-GpuQuota-table">
          <caption>{trans.__('Sessions, newest first')}</caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Session')}</th>
              <th scope="col">{trans.__('Project')}</th>
              <th scope="col">{trans.__('Owner')}</th>
              <th scope="col">{trans.__('When')}</th>
              <th scope="col">{trans.__('What')}</th>
              <th scope="col">{trans.__('GPU hours')}</th>
              <th scope="col">{trans.__('Used again')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(act => (
              <tr key={`${act.session} ${act.at} ${act.rule}`}>
                <th scope="row">{nameOf(act.session)}</th>
                <td className="jp-mod-whole">{act.project}</td>
                <td>{act.user}</td>
                <td>{clockText(act.at)}</td>
                <td>{doneText(act, trans)}</td>
                <td>{gpus(act.returned)}</td>
                <td>{againText(act, trans)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 ? <p>{trans.__('… and %1 earlier.', left)}</p> : null}
    </>
  );
}

function doneText({ action }: TrialAct, trans: TranslationBundle): string {
  const texts = {
    suspend: trans.__('suspended'),
    stop: trans.__('stopped'),
    notify: trans.__('owner notified')
  };
  return textOf(texts, action);
}

/** Return when a session was used again; within an hour, the action was premature. */
function againText(
  { again, false_alarm }: TrialAct,
  trans: TranslationBundle
): string {
  if (!again) {
    return trans.__('no');
  }
  return false_alarm ? trans.__('within an hour') : clockText(again);
}
