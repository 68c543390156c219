import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { NoticeKind } from '../../state/notices/events';
import { lifeText } from '../idle/texts';
import { takerText } from '../parts/takertexts';

/** JupyterLab shows notifications up to this length. */
export const LONGEST = 140;

/** Return what a notice says of one session. */
export function noticeText(
  trans: TranslationBundle,
  kind: NoticeKind,
  session: Session
): string {
  const { name } = session.spec;
  const why = session.reason?.message ?? '';
  switch (kind) {
    case 'ready':
      return trans.__('%1 is running', name);
    case 'failed':
      return trans.__('%1 failed: %2', name, why);
    case 'ended':
      return trans.__('%1: %2', name, why);
    case 'waiting':
      return trans.__('%1 is queued: %2', name, why);
    case 'reclaimed':
      return reclaimedText(trans, session);
    case 'ending':
      return trans.__('%1 %2. Save your work.', name, lifeText(trans, session));
  }
}

/** Return what a notice says of several sessions with the same news, as many by name as fit. */
export function noticeTogetherText(
  trans: TranslationBundle,
  kind: NoticeKind,
  sessions: readonly Session[]
): string {
  const count = sessions.length;
  const what = {
    ready: trans.__('%1 sessions have started', count),
    failed: trans.__('%1 sessions failed', count),
    waiting: trans.__('%1 sessions were queued', count),
    reclaimed: trans.__('%1 sessions were preempted', count),
    ending: trans.__('%1 sessions stop soon. Save your work', count),
    ended: trans.__('%1 sessions were stopped or suspended', count)
  };
  return togetherText(trans, what[kind], sessions);
}

/** Return a sentence with the sessions that it is about, two or more, as many by name as fit. */
export function togetherText(
  trans: TranslationBundle,
  what: string,
  sessions: readonly Session[]
): string {
  const names = sessions.map(({ spec }) => spec.name);
  return (
    names
      .map((_, index) => named(trans, names, names.length - index))
      .map(which => trans.__('%1: %2', what, which))
      .find(text => text.length <= LONGEST) ?? what
  );
}

/** Cut a message to what a notice has room for. */
export function shorten(message: string): string {
  return message.length > LONGEST
    ? `${message.slice(0, LONGEST - 1)}…`
    : message;
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

function reclaimedText(
  trans: TranslationBundle,
  { reclaimed, spec }: Session
): string {
  const taker = reclaimed ? takerText(trans, reclaimed) : '';
  return reclaimed?.moved
    ? trans.__(
        '%1 was moved to make room for %2 and will restart elsewhere',
        spec.name,
        taker
      )
    : trans.__(
        '%1 was preempted by %2 and will restart when GPUs are free',
        spec.name,
        taker
      );
}
