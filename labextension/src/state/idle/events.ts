import { Session } from '../../api/models';
import { idleOf, wasIdle } from './idle';

/**
 * What to report to a user about idle sessions; `over` withdraws what was reported of one, be it a
 * warning or its end.
 */
export interface IIdleEvent {
  kind: 'warned' | 'over' | 'ended';
  session: Session;
}

/**
 * Find what has become of a user's idle sessions between two looks at the list.
 *
 * A warning is news on the first look, too: it tells of something to come. That a session has
 * ended before the page opened is none.
 */
export class IdleEvents {
  /** Return the news since the last look. */
  look(sessions: readonly Session[], me: string): IIdleEvent[] {
    const before = this._seen;
    const mine = sessions.filter(session => session.owner === me);
    this._seen = new Map(
      mine.map(session => [
        session.id,
        { session, warning: warning(session), end: end(session) }
      ])
    );
    const kept = [...this._seen.values()];
    const news = kept.flatMap(({ session, warning, end }): IIdleEvent[] => {
      const known = before?.get(session.id);
      const found: IIdleEvent[] = [];
      if (known && isOver(known, { warning, end })) {
        found.push({ kind: 'over', session });
      }
      if (warning && warning !== known?.warning) {
        found.push({ kind: 'warned', session });
      }
      if (before && end && end !== known?.end) {
        found.push({ kind: 'ended', session });
      }
      return found;
    });
    const gone = [...(before?.values() ?? [])].filter(
      ({ session, warning, end }) =>
        (warning || end) && !this._seen?.has(session.id)
    );
    return [
      ...gone.map(({ session }): IIdleEvent => ({ kind: 'over', session })),
      ...news
    ];
  }

  private _seen?: Map<string, ISeen>;
}

interface ISeen {
  session: Session;
  /** The warning that stands, and what it says; empty if none does. */
  warning: string;
  /** When it was ended for being idle; empty if it was not. */
  end: string;
}

/** Return whether a notice was shown that is no longer true. */
function isOver(
  before: Omit<ISeen, 'session'>,
  now: Omit<ISeen, 'session'>
): boolean {
  return Boolean((before.warning && !now.warning) || (before.end && !now.end));
}

function warning(session: Session): string {
  const idle = idleOf(session);
  return idle?.warned ? JSON.stringify(idle) : '';
}

function end(session: Session): string {
  return wasIdle(session) && session.state !== 'stopping' ? session.since : '';
}
