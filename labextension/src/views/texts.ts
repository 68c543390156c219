import { TranslationBundle } from '@jupyterlab/translation';
import { Isolation, Kind, Session, Share } from '../api/models';
import { lookUp, textOf } from '../api/vocabulary';
import { takerText } from './takertexts';

/** The user's language as `Intl` wants it. */
function language(): string | undefined {
  return document.documentElement.lang || undefined;
}

/** Render milli-GPU as GPUs: 500 -> `0.5`. */
export function gpus(milli: number): string {
  return (milli / 1000).toLocaleString(language(), {
    maximumFractionDigits: 3
  });
}

/** Render MiB: 16384 -> `16 GiB`. */
export function memory(mib: number): string {
  const [value, unit] = mib >= 1024 ? [mib / 1024, 'GiB'] : [mib, 'MiB'];
  const digits = { maximumFractionDigits: value < 10 ? 1 : 0 };
  return `${value.toLocaleString(language(), digits)} ${unit}`;
}

const VULGAR: Record<number, string> = { 250: '¼', 500: '½', 750: '¾' };

/** Say a share as short as possible: `½ GPU`, `8 GiB`, `MIG 1g.10gb`, `CPU only`. */
export function shareText(trans: TranslationBundle, share: Share): string {
  let text = trans.__('CPU only');
  if (share.mig) {
    text = trans.__('MIG %1', share.mig);
  } else if (share.memory) {
    text = memory(share.memory);
  } else if (share.milli) {
    text = trans._n(
      '%2 GPU',
      '%2 GPUs',
      share.milli > 1000 ? 2 : 1,
      VULGAR[share.milli] ?? gpus(share.milli)
    );
  }
  return share.compute
    ? trans.__('%1, %2 % compute', text, share.compute)
    : text;
}

/** Return the memory that a fraction comes with, in MiB; 0 where it says nothing. */
export function sliceMemory(session: Session): number {
  const { share } = session.spec;
  const fraction = share.milli > 0 && share.milli < 1000;
  return (fraction || share.mig) && session.placement
    ? session.placement.slices.reduce((sum, slice) => sum + slice.memory, 0)
    : 0;
}

export function kindText(trans: TranslationBundle, kind: Kind): string {
  const texts = {
    interactive: trans.__('Interactive'),
    'interactive-spot': trans.__('Interactive, spot'),
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
    requeue: trans.__('Giving back')
  };
  const texts = {
    waiting: trans.__('Waiting'),
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

/** Say a session's state in one line, with why or since when. */
export function statusText(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const state = stateText(trans, session);
  const since = spanText(trans, now - Date.parse(session.since));
  switch (session.state) {
    case 'waiting':
      return waitingText(
        trans,
        session,
        [state, lineText(trans, session)].filter(Boolean).join(', '),
        session.reason?.message
      );
    case 'starting': {
      const step = session.progress.at(-1)?.message;
      return step ? trans.__('%1: %2', state, step) : state;
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
  why = ''
): string {
  const reclaimed = reclaimText(trans, session);
  const place = session.place_in_line;
  if (reclaimed) {
    return place ? trans.__('%1, as number %2', reclaimed, place) : reclaimed;
  }
  return why ? trans.__('%1: %2', head, why) : head;
}

/** Say a waiting session's place inside its project: `2. in line`; empty where it has none. */
export function lineText(
  trans: TranslationBundle,
  { place_in_line: place }: Session
): string {
  return place ? trans.__('%1. in line', place) : '';
}

/** Say when and for whom a waiting session was reclaimed; empty where it was not. */
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
    ? trans.__('Moved %1 to make room for %2; in line again', at, taker)
    : trans.__('Reclaimed %1 for %2; in line again', at, taker);
}

/** Say the status in a line that fits a narrow row: the reason's point, its words elsewhere. */
export function statusLine(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const short = shortReason(trans, session);
  if (session.state === 'waiting' && (session.reclaimed || short)) {
    // The icon says that it waits.
    const line = lineText(trans, session) || stateText(trans, session);
    return waitingText(trans, session, line, short);
  }
  return short
    ? trans.__('%1: %2', stateText(trans, session), short)
    : statusText(trans, session, now);
}

function shortReason(trans: TranslationBundle, session: Session): string {
  const { reason, exit, spec } = session;
  switch (reason?.code) {
    case 'OverQuota':
      // Who may borrow can be above a quota of which nothing is used.
      return spec.kind === 'interactive'
        ? trans.__('quota is used up')
        : trans.__('above the quota, and nothing to borrow');
    case 'OverLimit':
      return trans.__('its limit is reached');
    case 'BeingReclaimed':
      return trans.__('GPUs are being freed for it');
    case 'MaxLifetime':
      return trans.__('its time was up');
    case 'NoNodeFits':
      return trans.__('no GPU is free');
    case 'Fragmented':
      return trans.__('no one GPU has room');
    case 'CommandFailed':
      return typeof exit?.code === 'number'
        ? trans.__('exit code %1', exit.code)
        : '';
    default:
      return '';
  }
}

/** Say a span of milliseconds in its largest unit: `12 min`. */
export function spanText(trans: TranslationBundle, span: number): string {
  const minutes = Math.floor(span / 60_000);
  const [value, unit] =
    minutes < 60
      ? [Math.max(1, minutes), 'minute']
      : minutes < 48 * 60
        ? [Math.floor(minutes / 60), 'hour']
        : [Math.floor(minutes / 1440), 'day'];
  const text = new Intl.NumberFormat(language(), {
    style: 'unit',
    unit,
    unitDisplay: 'short'
  }).format(value);
  return minutes < 1 ? trans.__('< %1', text) : text;
}

/** Say the time of day: `14:02`; with the date where that is not today's. */
export function clockText(time: string): string {
  const at = new Date(time);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(language(), {
    ...(isToday ? {} : { dateStyle: 'short' }),
    timeStyle: 'short'
  });
}

/** Say a point in time. */
export function timeText(time: string): string {
  return new Date(time).toLocaleString(language(), {
    dateStyle: 'medium',
    timeStyle: 'medium'
  });
}

/** Say in a few words what holds a share. */
export function isolationText(
  trans: TranslationBundle,
  isolation: Isolation
): string {
  const texts = {
    none: trans.__('not enforced'),
    cooperative: trans.__('by agreement'),
    enforced: trans.__('enforced'),
    hardware: trans.__('hardware')
  };
  const memory = textOf(texts, isolation.memory);
  const compute = textOf(texts, isolation.compute);
  return memory === compute
    ? memory
    : trans.__('memory %1, compute %2', memory, compute);
}

/** Say in sentences what holds a share, and how it can be bypassed. */
export function isolationDetail(
  trans: TranslationBundle,
  isolation: Isolation
): string[] {
  const strengths = {
    none: trans.__('not limited'),
    cooperative: trans.__('limited by agreement'),
    enforced: trans.__('limit enforced'),
    hardware: trans.__('separated by hardware')
  };
  const scopes = {
    '': '',
    process: trans.__('Limits count for each process.'),
    container: trans.__('Limits count for the container.'),
    session: trans.__('Limits count for the session.')
  };
  const { bypass, compute, memory, note, scope } = isolation;
  return [
    note,
    trans.__('Memory: %1.', textOf(strengths, memory)),
    trans.__('Compute: %1.', textOf(strengths, compute)),
    lookUp(scopes, scope) ?? trans.__('Limits count for the %1.', scope),
    ...bypass.map(way => trans.__('It can be bypassed: %1.', way))
  ].filter(Boolean);
}
