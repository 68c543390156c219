import { Session } from '../api/models';

/** What a user wants to hear of a session without looking. */
export type NoticeKind =
  'ready' | 'failed' | 'waiting' | 'reclaimed' | 'ending';

/** How long before a session is stopped its owner is notified, in milliseconds. */
export const WARNING = 10 * 60_000;

export interface INotice {
  kind: NoticeKind;
  session: Session;
}

/**
 * Find what has happened to a user's sessions between two looks at the list.
 *
 * The first look only learns: what was before the page opened is no news, but that a session is
 * soon to be stopped is, once in each run.
 */
export class NoticeEvents {
  /** Return the news since the last look. */
  look(sessions: readonly Session[], me: string, now: number): INotice[] {
    const before = this._seen;
    const mine = sessions.filter(session => session.owner === me);
    this._seen = new Map(mine.map(session => [session.id, seen(session)]));
    const changed = mine.flatMap((session): INotice[] => {
      const kind = before && news(before.get(session.id), seen(session));
      return kind ? [{ kind, session }] : [];
    });
    const ending = mine
      .filter(session => this._endsSoon(session, now))
      .map((session): INotice => ({ kind: 'ending', session }));
    return [...changed, ...ending];
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
  phase: Exclude<NoticeKind, 'reclaimed' | 'ending'> | 'other';
  /** When it was last reclaimed, if it was. */
  reclaimed: string | undefined;
}

function seen(session: Session): ISeen {
  return { phase: phase(session), reclaimed: session.reclaimed?.at };
}

function phase(session: Session): ISeen['phase'] {
  switch (session.state) {
    case 'running':
      return 'ready';
    case 'failed':
      return 'failed';
    case 'waiting':
      // Without a reason, the scheduler has not tried to start it yet.
      return session.reason ? 'waiting' : 'other';
    default:
      return 'other';
  }
}

function news(before: ISeen | undefined, now: ISeen): NoticeKind | undefined {
  if (now.reclaimed && now.reclaimed !== before?.reclaimed) {
    return 'reclaimed';
  }
  if (now.phase === before?.phase || now.phase === 'other') {
    return undefined;
  }
  // That it waits was said when it was reclaimed.
  return now.phase === 'waiting' && now.reclaimed ? undefined : now.phase;
}
