import { Session } from '../../api/models';
import { INews, NoticeKind } from './events';

/** News of one kind that follow each other this closely share a notice, in milliseconds. */
const TOGETHER = 5000;
/** So many sessions have notices of their own before they share one. */
const SINGLE = 2;

/** What is to be shown of one session, or of several with the same news. */
export interface INotice {
  /** The same for all that replaces this notice. */
  key: string;
  kind: NoticeKind;
  /** All of which it is true, in the order of their news; more than one have happened together. */
  sessions: Session[];
}

/**
 * The notices that hold: one of each session, or one of many sessions with the same news.
 *
 * A notice names a session while what it says of it is true, and goes with the last one.
 */
export class NoticeBoard {
  /** Take what is new at a time, and return the notices that hold. */
  note(news: readonly INews[], now: number): INotice[] {
    for (const { kind, session } of news) {
      this._waves.get(session.id)?.holds.delete(session.id);
      this._waves.delete(session.id);
      if (kind !== 'over') {
        const wave = this._join(kind, now);
        wave.sessions.set(session.id, session);
        wave.holds.add(session.id);
        this._waves.set(session.id, wave);
      }
    }
    return [...new Set(this._waves.values())].flatMap(notices);
  }

  /** Return what happens at this time with sessions of the same news. */
  private _join(kind: NoticeKind, now: number): IWave {
    const last = this._last.get(kind);
    const wave =
      last && now - last.at <= TOGETHER ? last : this._begin(kind, now);
    wave.at = now;
    return wave;
  }

  private _begin(kind: NoticeKind, now: number): IWave {
    const key = `${kind} ${++this._count}`;
    const wave: IWave = {
      key,
      kind,
      at: now,
      sessions: new Map(),
      holds: new Set()
    };
    this._last.set(kind, wave);
    return wave;
  }

  private _count = 0;
  /** The latest wave of each kind. */
  private _last = new Map<NoticeKind, IWave>();
  /** The wave of the latest news of each session. */
  private _waves = new Map<string, IWave>();
}

/** News of one kind, each soon after the one before. */
interface IWave {
  key: string;
  kind: NoticeKind;
  /** When the latest came. */
  at: number;
  sessions: Map<string, Session>;
  /** The sessions of which it is true still. */
  holds: Set<string>;
}

function notices({ key, kind, sessions, holds }: IWave): INotice[] {
  const held = [...sessions.values()].filter(({ id }) => holds.has(id));
  return sessions.size > SINGLE
    ? [{ key, kind, sessions: held }]
    : held.map(session => ({ key: session.id, kind, sessions: [session] }));
}
