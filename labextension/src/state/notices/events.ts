import { Session } from '../../api/models';
import { wasEndedByAnother } from '../idle/endings';

/** What a user wants to hear of a session without looking. */
export type NoticeKind =
  'ready' | 'failed' | 'waiting' | 'reclaimed' | 'ending' | 'ended';

/** How long before a session is stopped its owner is notified, in milliseconds. */
export const WARNING = 10 * 60_000;

/** What has become of a session; `over` withdraws what was last reported of it. */
export interface INews {
  kind: NoticeKind | 'over';
  session: Session;
}

/**
 * Find what has happened to a user's sessions between two looks at the list.
 *
 * The first look only learns: only what changes while the page is open is reported, and, once in
 * each run, that a session is soon to be stopped.
 */
export class NoticeEvents {
  /** Return the news since the last look. */
  look(sessions: readonly Session[], me: string, now: number): INews[] {
    const before = this._seen;
    this._seen = new Map();
    const found: INews[] = [];
    for (const session of sessions.filter(({ owner }) => owner === me)) {
      const known = before?.get(session.id);
      const kinds: NoticeKind[] = [
        ...((before && news(known, session)) ?? []),
        ...(this._endsSoon(session, now) ? (['ending'] as const) : [])
      ];
      const over = known?.reported && !kinds.length && !stands(session);
      this._seen.set(session.id, {
        session,
        reported: kinds.length > 0 || (known?.reported === true && !over)
      });
      found.push(...kinds.map(kind => ({ kind, session })));
      if (over) {
        found.push({ kind: 'over', session });
      }
    }
    for (const [id, { session, reported }] of before ?? []) {
      if (reported && !this._seen.has(id)) {
        found.push({ kind: 'over', session });
      }
    }
    return found;
  }

  /** Return whether a session's end is near, once in each of its runs. */
  private _endsSoon({ id, ends, started, state }: Session, now: number) {
    const left = ends && state === 'running' ? Date.parse(ends) - now : 0;
    if (left <= 0 || left > WARNING || this._warned.get(id) === started) {
      return false;
    }
    this._warned.set(id, started);
    return true;
  }

  private _seen?: Map<string, ISeen>;
  /** Sessions whose end was announced, with when that run began. */
  private _warned = new Map<string, string | null>();
}

interface ISeen {
  session: Session;
  /** Whether something was reported of it that was not withdrawn. */
  reported: boolean;
}

type Phase = Exclude<NoticeKind, 'reclaimed' | 'ending'> | 'other';

function phase(session: Session): Phase {
  switch (session.state) {
    case 'running':
      return 'ready';
    case 'failed':
      return 'failed';
    case 'waiting':
      // Without a reason, the scheduler has not tried to start it yet.
      return session.reason ? 'waiting' : 'other';
    default:
      return wasEndedByAnother(session) ? 'ended' : 'other';
  }
}

/** Return whether what was reported of a session may still be true. */
function stands(session: Session): boolean {
  // A session whose GPUs are taken back stops first, then waits.
  const leaves = session.state === 'stopping' && Boolean(session.reclaimed);
  return phase(session) !== 'other' || leaves;
}

function news(known: ISeen | undefined, now: Session): NoticeKind[] {
  const before = known?.session;
  const { reclaimed } = now;
  if (reclaimed && reclaimed.at !== before?.reclaimed?.at) {
    return ['reclaimed'];
  }
  const is = phase(now);
  if (is === 'other' || (before && is === phase(before))) {
    return [];
  }
  // That it waits was reported when it was reclaimed.
  return is === 'waiting' && reclaimed ? [] : [is];
}
