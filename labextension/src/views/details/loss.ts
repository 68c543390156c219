import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { isLive } from '../../state/sessions';

/** Return what is lost, and what comes then, if a session is started with another share. */
export function lossText(
  session: Session,
  words: string,
  trans: TranslationBundle
): string {
  return isLive(session)
    ? trans.__(
        'Open notebooks are saved first; kernel memory is lost. Files and the log are kept. The session is then queued for %1.',
        words
      )
    : trans.__('The session is then queued for %1.', words);
}
