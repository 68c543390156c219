import { Session } from '../api/models';

/** What a user wants to hear of a session without looking. */
export type NoticeKind = 'ready' | 'failed' | 'waiting' | 'reclaimed';

export interface INotice {
  kind: NoticeKind;
  session: Session;
}

/**
 * Find what has happened to a user's sessions between two looks at the list.
 *
 * The first look only learns: what was before the page opened is no news.
 */
export class Watchman {
  /** Return the news since the last look. */
  look(sessions: readonly Session[], me: string): INotice[] {
    const before = this._seen;
    const mine = sessions.filter(session => session.owner === me);
    this._seen = new Map(mine.map(session => [session.id, seen(session)]));
    if (!before) {
      return [];
    }
    return mine.flatMap(session => {
      const kind = news(before.get(session.id), seen(session));
      return kind ? [{ kind, session }] : [];
    });
  }

  private _seen?: Map<string, ISeen>;
}

interface ISeen {
  phase: Exclude<NoticeKind, 'reclaimed'> | 'other';
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
      // Before the reason is there, nobody has tried to start it.
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
