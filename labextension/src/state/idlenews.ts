import { Session } from '../api/models';
import { idleOf, isWarned, wasIdle } from './idle';

/**
 * What a user is to be told of idle sessions; `over` takes back what was told of one, be it a
 * warning or its end. In a session's own JupyterLab `closed` tells that it has ended, and `why`;
 * `back` that it runs again since.
 */
export type IIdleNews =
  | { kind: 'warned' | 'over' | 'ended' | 'back'; session: Session }
  | { kind: 'closed'; session: Session; why: string };

/**
 * Find what has become of a user's idle sessions between two looks at the list.
 *
 * A warning is news on the first look, too: it tells of something to come. That a session has
 * ended before the page opened is none.
 */
export class IdleWatchman {
  /** Return the news since the last look. */
  look(sessions: readonly Session[], me: string): IIdleNews[] {
    const before = this._seen;
    const mine = sessions.filter(session => session.owner === me);
    this._seen = new Map(
      mine.map(session => [
        session.id,
        { session, warning: warning(session), end: end(session) }
      ])
    );
    const kept = [...this._seen.values()];
    const news = kept.flatMap(({ session, warning, end }): IIdleNews[] => {
      const known = before?.get(session.id);
      const found: IIdleNews[] = [];
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
      ...gone.map(({ session }): IIdleNews => ({ kind: 'over', session })),
      ...news
    ];
  }

  /**
   * Return the news of the session whose own JupyterLab this is; `why` it has ended, empty where
   * it has not, null where that cannot be told.
   */
  lookHere(session: Session | undefined, why: string | null): IIdleNews[] {
    if (!session || why === null) {
      return [];
    }
    if (why) {
      const isNew = !this._closed && (isWarned(session) || wasIdle(session));
      this._closed ||= isNew ? 'told' : 'seen';
      return isNew ? [{ kind: 'closed', session, why }] : [];
    }
    const isBack = this._closed === 'told' && session.state === 'running';
    this._closed = isBack || this._closed === 'seen' ? '' : this._closed;
    return isBack ? [{ kind: 'back', session }] : [];
  }

  /** Whether the session here has ended, and whether that was told. */
  private _closed: '' | 'seen' | 'told' = '';
  private _seen?: Map<string, ISeen>;
}

interface ISeen {
  session: Session;
  /** The warning that stands, and what it says; empty if none does. */
  warning: string;
  /** When it was ended for being idle; empty if it was not. */
  end: string;
}

/** Tell whether something was to be told that does not hold any more. */
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
