import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { PolicyTrial, TrialAct, TrialSoon } from '../../api/models';
import { textOf } from '../../api/vocabulary';
import { useSessionNames } from '../parts/sessionnames';
import { clockText, gpus, timeText } from '../parts/texts';
import { useUi } from '../parts/ui';

/** How many of the acts stand in the table. */
const SHOWN = 20;

/** Show what a policy does in the next hour, and what it would have done over a recorded time. */
export function TrialTable({ trial }: { trial: PolicyTrial }): JSX.Element {
  return (
    <>
      {trial.soon?.length ? <Soon soon={trial.soon} /> : null}
      {trial.projects.length ? <Projects trial={trial} /> : null}
      {trial.acts.length ? <Acts trial={trial} /> : null}
    </>
  );
}

/** List what applying the policy now changes for running sessions, the soonest first. */
function Soon({ soon }: { soon: readonly TrialSoon[] }): JSX.Element {
  const { trans } = useUi();
  const nameOf = useSessionNames();
  const shown = soon.slice(0, SHOWN);
  const left = soon.length - shown.length;
  return (
    <>
      <div className="jp-GpuQuota-boardTable">
        <table className="jp-GpuQuota-table">
          <caption>{trans.__('Applied now, within an hour')}</caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Session')}</th>
              <th scope="col">{trans.__('Project')}</th>
              <th scope="col">{trans.__('Owner')}</th>
              <th scope="col">{trans.__('Warned')}</th>
              <th scope="col">{trans.__('What')}</th>
              <th scope="col">{trans.__('Now')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(each => (
              <tr key={each.session}>
                <th scope="row">{nameOf(each.session)}</th>
                <td className="jp-mod-whole">{each.project}</td>
                <td>{each.user}</td>
                <td>{warnedText(each, trans)}</td>
                <td>{soonText(each.action, each.at, trans)}</td>
                <td>{soonText(each.action_before, each.at_before, trans)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 ? <p>{trans.__('… and %1 later.', left)}</p> : null}
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

/** Return when an owner is warned; a warning that is due is given with the next look. */
function warnedText({ warned }: TrialSoon, trans: TranslationBundle): string {
  if (!warned) {
    return '';
  }
  return Date.parse(warned) <= Date.now()
    ? trans.__('at once')
    : clockText(warned);
}

function soonText(
  action: TrialSoon['action'],
  at: string | null,
  trans: TranslationBundle
): string {
  return action && at
    ? trans.__('%1 at %2', doneText({ action }, trans), clockText(at))
    : trans.__('keeps running');
}

function doneText(
  { action }: Pick<TrialAct, 'action'>,
  trans: TranslationBundle
): string {
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
