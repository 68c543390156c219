import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { LONGEST } from './idletexts';

/** Say in a notice which sessions were ended for being idle, as many by name as fit. */
export function endedTogetherText(
  trans: TranslationBundle,
  sessions: readonly Session[]
): string {
  const names = sessions.map(({ spec }) => spec.name);
  const said = names
    .map((_, index) => named(trans, names, names.length - index))
    .map(which =>
      trans.__('%1 sessions were ended for being idle: %2', names.length, which)
    );
  return (
    said.find(text => text.length <= LONGEST) ??
    trans.__('%1 sessions were ended for being idle', names.length)
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

/** Say whether what is open was saved before the end; empty if that is not known. */
export function savedText(
  trans: TranslationBundle,
  isSaved: boolean | null
): string {
  switch (isSaved) {
    case true:
      return trans.__('Open documents were saved before.');
    case false:
      return trans.__(
        'Not all open documents could be saved before: some have changes that are only on this page.'
      );
    default:
      return '';
  }
}
