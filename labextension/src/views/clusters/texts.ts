import { TranslationBundle } from '@jupyterlab/translation';
import { FallbackPlace, Session } from '../../api/models';
import { clockText } from '../parts/amounts';

/** Return how a place is named: a template with its cluster. */
export function placeName(
  trans: TranslationBundle,
  { cluster, name }: Pick<FallbackPlace, 'cluster' | 'name'>
): string {
  return name === cluster ? name : trans.__('%1 (%2)', name, cluster);
}

/** Return which place is tried next, and when: `goes on to cloud at 14:20`; empty if it stays. */
export function nextText(
  trans: TranslationBundle,
  { fallback }: Session
): string {
  const next = fallback?.places[fallback.next ?? -1];
  if (!fallback || !next) {
    return '';
  }
  const name = placeName(trans, next);
  return fallback.until
    ? trans.__('goes on to %1 at %2', name, clockText(fallback.until))
    : trans.__('goes on to %1 once it can be reached', name);
}

/** Return that a session is queued, with its present place if another one comes after it. */
export function queuedIn(
  trans: TranslationBundle,
  { fallback }: Session,
  queued: string
): string {
  return fallback && typeof fallback.next === 'number'
    ? trans.__(
        '%1 in %2',
        queued,
        placeName(trans, fallback.places[fallback.current])
      )
    : queued;
}

/** Return why a session is queued, without what `nextText` says in the user's time zone. */
export function queuedWhy({ reason }: Session): string | undefined {
  const said = reason?.more?.find(({ key }) => key.startsWith('fallback.'));
  return said ? reason?.message.replace(said.text, '').trim() : reason?.message;
}
