import { TranslationBundle } from '@jupyterlab/translation';
import { Isolation, Kind, Session } from '../../api/models';
import { lookUp, textOf } from '../../api/vocabulary';
import { nextText, queuedIn, queuedWhy } from '../clusters/texts';
import { clockText, spanText } from './amounts';
import { takerText } from './takertexts';

export * from './amounts';

export function kindText(trans: TranslationBundle, kind: Kind): string {
  const texts = {
    interactive: trans.__('Interactive'),
    'interactive-spot': trans.__('Interactive (spot)'),
    train: trans.__('Training')
  };
  return textOf(texts, kind);
}

export function stateText(
  trans: TranslationBundle,
  { goal, state }: Pick<Session, 'state' | 'goal'>
): string {
  const goals = {
    run: trans.__('Stopping'),
    stop: trans.__('Stopping'),
    suspend: trans.__('Suspending'),
    requeue: trans.__('Releasing GPUs')
  };
  const texts = {
    waiting: trans.__('Queued'),
    starting: trans.__('Starting'),
    running: trans.__('Running'),
    stopping: lookUp(goals, goal) ?? goals.stop,
    suspended: trans.__('Suspended'),
    stopped: trans.__('Stopped'),
    done: trans.__('Done'),
    failed: trans.__('Failed')
  };
  return textOf(texts, state);
}

/** Return a session's state in one line, with its reason or duration. */
export function statusText(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const state = stateText(trans, session);
  const place = session.queue_position;
  const since = spanText(trans, now - Date.parse(session.since));
  switch (session.state) {
    case 'waiting':
      return waitingText(
        trans,
        session,
        queuedIn(
          trans,
          session,
          place ? trans.__('%1 (#%2)', state, place) : state
        ),
        now,
        queuedWhy(session)
      );
    case 'starting': {
      const step = session.progress.at(-1)?.message;
      if (!step) {
        return state;
      }
      return step.startsWith(state) ? step : trans.__('%1: %2', state, step);
    }
    case 'running':
      return trans.__('Running %1', since);
    case 'stopping':
      return state;
    case 'suspended':
    case 'stopped':
    case 'done':
      return trans.__('%1 %2 ago', state, since);
    default:
      return session.reason
        ? trans.__('%1: %2', state, session.reason.message)
        : state;
  }
}

function waitingText(
  trans: TranslationBundle,
  session: Session,
  head: string,
  now: number,
  why = ''
): string {
  const reclaimed = reclaimText(trans, session);
  const place = session.queue_position;
  const coming = comingText(trans, session, now);
  const begun =
    reclaimed && place
      ? trans.__('%1 (#%2)', reclaimed, place)
      : reclaimed || head;
  const line = coming ? trans.__('%1, %2', begun, coming) : begun;
  return why && !reclaimed ? trans.__('%1: %2', line, why) : line;
}

/** Return when a queued session should start, and how long it waits for that where it is. */
function comingText(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  return [startsText(trans, session, now), nextText(trans, session)]
    .filter(Boolean)
    .join(', ');
}

/** Return when a queued session should start: `starts about 14:20`; empty if that is not known. */
function startsText(
  trans: TranslationBundle,
  { expected, state }: Session,
  now: number
): string {
  return state === 'waiting' && expected && Date.parse(expected) > now
    ? trans.__('starts about %1', clockText(expected))
    : '';
}

/** Return a queued session's place inside its project: `Queued (#2)`; empty where it has none. */
export function lineText(
  trans: TranslationBundle,
  { queue_position: place }: Session
): string {
  return place ? trans.__('Queued (#%1)', place) : '';
}

/** Return when and for whom a queued session was reclaimed; empty if it was not. */
export function reclaimText(
  trans: TranslationBundle,
  { reclaimed, state }: Session
): string {
  if (!reclaimed || state !== 'waiting') {
    return '';
  }
  const at = clockText(reclaimed.at);
  const taker = takerText(trans, reclaimed);
  return reclaimed.moved
    ? trans.__('Moved at %1 to make room for %2 · queued', at, taker)
    : trans.__('Reclaimed at %1 for %2 · queued', at, taker);
}

/** Return the status in a line that fits a narrow row, with the reason in a few words. */
export function statusLine(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const short = shortReason(trans, session);
  const coming = comingText(trans, session, now);
  if (coming && !session.reclaimed) {
    // The icon says that it is queued: what comes first is seen also where there is no more room.
    const place = session.queue_position;
    const soon = coming[0].toUpperCase() + coming.slice(1);
    const line = place ? trans.__('%1 (#%2)', soon, place) : soon;
    return short ? trans.__('%1: %2', line, short) : line;
  }
  if (session.state === 'waiting' && (session.reclaimed || short)) {
    const line = lineText(trans, session) || stateText(trans, session);
    return waitingText(trans, session, line, now, short);
  }
  return short
    ? trans.__('%1: %2', stateText(trans, session), short)
    : statusText(trans, session, now);
}

/** Return the reason of a session in a few words; empty where only its message tells. */
export function shortReason(
  trans: TranslationBundle,
  session: Session
): string {
  const { reason, exit, spec } = session;
  switch (reason?.code) {
    case 'OverQuota':
      // Who may borrow can be above a quota of which nothing is used.
      return spec.kind === 'interactive'
        ? trans.__('quota used up')
        : trans.__('over quota, nothing to borrow');
    case 'OverLimit':
      return trans.__('limit reached');
    case 'BeingReclaimed':
      return trans.__('GPUs are being freed');
    case 'MaxLifetime':
      return trans.__('maximum run time reached');
    case 'NoNodeFits':
      // A node may lack memory or CPUs, too.
      return reason.key === 'node.none' ? '' : trans.__('no free GPU');
    case 'Fragmented':
      return trans.__('no single GPU has enough room');
    case 'CommandFailed':
      return typeof exit?.code === 'number'
        ? trans.__('exit code %1', exit.code)
        : '';
    default:
      return '';
  }
}

/** Return in a few words how a share is enforced. */
export function isolationText(
  trans: TranslationBundle,
  isolation: Isolation
): string {
  const texts = {
    none: trans.__('not enforced'),
    cooperative: trans.__('cooperative'),
    enforced: trans.__('enforced'),
    hardware: trans.__('hardware')
  };
  const memory = textOf(texts, isolation.memory);
  const compute = textOf(texts, isolation.compute);
  return memory === compute
    ? memory
    : trans.__('memory %1, compute %2', memory, compute);
}

/** Return in sentences how a share is enforced, and how that can be bypassed. */
export function isolationDetail(
  trans: TranslationBundle,
  isolation: Isolation
): string[] {
  const strengths = {
    none: trans.__('not limited'),
    cooperative: trans.__('limited cooperatively'),
    enforced: trans.__('limit enforced'),
    hardware: trans.__('separated by hardware')
  };
  const scopes = {
    '': '',
    process: trans.__('Limits apply per process.'),
    container: trans.__('Limits apply per container.'),
    session: trans.__('Limits apply per session.')
  };
  const { bypass, compute, memory, note, scope } = isolation;
  return [
    note,
    trans.__('Memory: %1.', textOf(strengths, memory)),
    trans.__('Compute: %1.', textOf(strengths, compute)),
    lookUp(scopes, scope) ?? trans.__('Limits apply per %1.', scope),
    ...bypass.map(way => trans.__('Can be bypassed: %1.', way))
  ].filter(Boolean);
}
