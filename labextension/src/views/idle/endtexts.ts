import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';

/** JupyterLab shows notifications up to this length. */
const LONGEST = 140;

/** Return the notice of sessions that ended because they were idle, as many by name as fit. */
export function endedTogetherText(
  trans: TranslationBundle,
  sessions: readonly Session[]
): string {
  const names = sessions.map(({ spec }) => spec.name);
  const said = names
    .map((_, index) => named(trans, names, names.length - index))
    .map(which =>
      trans.__(
        '%1 sessions ended because they were idle: %2',
        names.length,
        which
      )
    );
  return (
    said.find(text => text.length <= LONGEST) ??
    trans.__('%1 sessions ended because they were idle', names.length)
  );
}

/** List the first `count` of two names or more, and say how many are left out. */
function named(
  trans: TranslationBundle,
  names: readonly string[],
  count: number
): string {
  return count < names.length
    ? trans.__(
        '%1 and %2 more',
        names.slice(0, count).join(', '),
        names.length - count
      )
    : trans.__('%1 and %2', names.slice(0, -1).join(', '), names.at(-1));
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
  return end ? text.slice(0, end) : `${text.slice(0, LONGEST - 1)}…`;
}

function sentences(text: string): string[] {
  return text.split(/(?<=\.) /);
}
