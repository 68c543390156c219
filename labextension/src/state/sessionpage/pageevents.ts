import { Session } from '../../api/models';

/**
 * What the page of a session is to tell of it: it is about to end, it has ended and `why`, it runs
 * on after all, or it runs again since and this page belongs to a run that is over.
 */
export type IPageEvent =
  | { kind: 'ending' | 'open' | 'back'; session: Session }
  | { kind: 'closed'; session: Session; why: string };

/** Return whether a session's pages save before its processes are signalled. */
export function isSaving({ ending, state }: Session): boolean {
  return state === 'stopping' && ending !== null && !ending.signalled;
}

/** Find what has become of the session whose own JupyterLab this is between two looks at it. */
export class PageEvents {
  /**
   * Return the news since the last look; `why` it is not served, empty where it is, null where
   * that is unknown.
   */
  look(session: Session | undefined, why: string | null): IPageEvent[] {
    if (!session || why === null) {
      return [];
    }
    return why ? this._lookOutside(session, why) : this._lookInside(session);
  }

  private _lookOutside(session: Session, why: string): IPageEvent[] {
    // A server that is slow to answer is not served for a moment, either.
    const isSure = session.state !== 'running' || this._missed > 0;
    this._missed += 1;
    if (!isSure || this._isClosed) {
      return [];
    }
    this._isClosed = true;
    return [{ kind: 'closed', session, why }];
  }

  private _lookInside(session: Session): IPageEvent[] {
    this._missed = 0;
    this._run ??= session.run;
    if (isSaving(session)) {
      return [{ kind: 'ending', session }];
    }
    if (session.state !== 'running') {
      return [];
    }
    const isBack = session.run !== this._run;
    const wasClosed = this._isClosed;
    this._isClosed = false;
    this._run = session.run;
    if (isBack) {
      return [{ kind: 'back', session }];
    }
    return wasClosed ? [{ kind: 'open', session }] : [];
  }

  private _isClosed = false;
  /** How many looks in a row have found it not served. */
  private _missed = 0;
  /** The run that this page belongs to. */
  private _run?: number;
}
