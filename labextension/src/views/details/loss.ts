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

/** Return what is lost, and what comes then, if a session is started with another share. */
export function lossText(
  session: Session,
  words: string,
  trans: TranslationBundle
): string {
  const queued = trans.__('The session is then queued for %1.', words);
  return isLive(session) ? `${endText(session, trans)} ${queued}` : queued;
}
