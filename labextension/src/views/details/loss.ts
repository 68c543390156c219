import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { isLive } from '../../state/sessions';

/** Return what the end of a session loses and keeps. */
export function endText({ spec }: Session, trans: TranslationBundle): string {
  return spec.command.length
    ? trans.__(
        'The program ends; what it has not written to files is lost. Files and the log are kept.'
      )
    : trans.__(
        'Open notebooks are saved first; kernel memory is lost. Files and the log are kept.'
      );
}

/** How a user ends a session. */
export type Goal = 'stop' | 'suspend';

/** Return the question whether to end a session, and what the button says; `owner` if it is named. */
export function endQuestion(
  trans: TranslationBundle,
  session: Session,
  goal: Goal,
  owner = ''
): { title: string; body: string; label: string } {
  const { name } = session.spec;
  const whose = owner ? trans.__('%1 of %2', name, owner) : name;
  const body =
    session.state === 'waiting'
      ? trans.__(
          'The session leaves the queue. Its files and settings are kept.'
        )
      : endText(session, trans);
  return goal === 'stop'
    ? { title: trans.__('Stop %1?', whose), body, label: trans.__('Stop') }
    : {
        title: trans.__('Suspend %1?', whose),
        body,
        label: trans.__('Suspend')
      };
}

/** Return what is lost, and what comes then, if a session is started with another share. */
export function lossText(
  session: Session,
  words: string,
  trans: TranslationBundle
): string {
  const queued = trans.__('The session is then queued for %1.', words);
  return isLive(session) ? `${endText(session, trans)} ${queued}` : queued;
}
