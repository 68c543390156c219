import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { LONGEST, shorten, togetherText } from '../notices/texts';

/** Return the notice of sessions that ended because they were idle, as many by name as fit. */
export function endedTogetherText(
  trans: TranslationBundle,
  sessions: readonly Session[]
): string {
  return togetherText(
    trans,
    trans.__('%1 sessions ended because they were idle', sessions.length),
    sessions
  );
}

/** Return the notice of a session that ended because it was idle: which rule, and what is kept. */
export function endedText(trans: TranslationBundle, session: Session): string {
  const message = session.reason?.message ?? '';
  const [what, why, ...rest] = sentences(
    trans.__('%1: %2', session.spec.name, message)
  );
  const kept = trans.__('Files and settings are kept.');
  const wholes = [
    [what, why, ...rest, kept],
    [what, ...rest, kept],
    [what, ...rest]
  ].map(parts => parts.filter(Boolean).join(' '));
  return wholes.find(text => text.length <= LONGEST) ?? clipped(wholes[0]);
}

/** Return what a notice has room for: whole sentences if one fits. */
function clipped(text: string): string {
  if (text.length <= LONGEST) {
    return text;
  }
  const end = text.lastIndexOf('. ', LONGEST - 1) + 1;
  return end ? text.slice(0, end) : shorten(text);
}

function sentences(text: string): string[] {
  return text.split(/(?<=\.) /);
}
