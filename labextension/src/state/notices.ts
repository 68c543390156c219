import { Session } from '../api/models';

/** What a user wants to hear of a session without looking. */
export type NoticeKind = 'ready' | 'failed' | 'waiting';

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
    this._seen = new Map(mine.map(session => [session.id, phase(session)]));
    if (!before) {
      return [];
    }
    return mine.flatMap(session => {
      const kind = news(before.get(session.id), phase(session));
      return kind ? [{ kind, session }] : [];
    });
  }

  private _seen?: Map<string, Phase>;
}

type Phase = NoticeKind | 'other';

function phase(session: Session): Phase {
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

function news(before: Phase | undefined, now: Phase): NoticeKind | undefined {
  return now === before || now === 'other' ? undefined : now;
}
