import {
  Action,
  Activity,
  Advice,
  LogChunk,
  LogQuery,
  PageReport,
  Preview,
  ResizeRequest,
  RunList,
  Session,
  SessionPolicy,
  SessionRequest,
  State
} from '../api/models';
import { outerUrl } from '../api/addresses';
import { call, Settings } from '../api/request';
import { routes } from '../api/routes';
import { Known, lookUp, Table } from '../api/vocabulary';
import { ISessionActions } from '../tokens';

/** Return whether the server lets the user do something to a session. */
export function can(session: Session, action: Known<Action>): boolean {
  return session.actions.includes(action);
}

/** Return whether a session has ended for good or bad; a suspended one has not. */
export function hasEnded({ state }: Session): boolean {
  return ['stopped', 'done', 'failed'].includes(state);
}

/** Return whether a session has processes and holds its share; in an unknown state it may. */
export function isLive(session: Session): boolean {
  return (
    !hasEnded(session) && !['waiting', 'suspended'].includes(session.state)
  );
}

/** Return whether a session that runs cannot be opened by somebody, because it is another's. */
export function isForOwnerOnly(session: Session, me: string): boolean {
  const { owner, spec, state } = session;
  // Of a request that is hidden, nothing says that it serves no pages.
  const servesPages = !spec.command.length || spec.ports.length > 0;
  return (
    state === 'running' && owner !== me && servesPages && !can(session, 'open')
  );
}

const ORDER: Table<State, number> = {
  running: 0,
  starting: 0,
  waiting: 0,
  stopping: 0,
  suspended: 1,
  stopped: 2,
  done: 2,
  failed: 2
};

/** Sort for the screen: what goes on first, then what ended; the newest of each first. */
export function inOrder(sessions: readonly Session[]): Session[] {
  return [...sessions].sort(
    (a, b) =>
      (lookUp(ORDER, a.state) ?? 0) - (lookUp(ORDER, b.state) ?? 0) ||
      compare(b.created, a.created) ||
      compare(b.id, a.id)
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Return whether a session matches every word of a filter; `shown` is what else its row shows. */
export function matches(session: Session, filter: string, shown = ''): boolean {
  const { spec, owner, state } = session;
  const text = [spec.name, spec.project, spec.kind, owner, state, shown]
    .join(' ')
    .toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word));
}

/** Propose a name that no session has: the last one's, counted on, or `exp-1`. */
export function suggestName(
  sessions: readonly Session[],
  last = 'exp-1'
): string {
  const taken = new Set(sessions.map(session => session.spec.name));
  if (!taken.has(last)) {
    return last;
  }
  const [stem, digits] = /^(.*?)-?(\d{0,6})$/.exec(last)?.slice(1) ?? [last];
  let number = Number(digits || 1);
  while (taken.has(`${stem}-${number}`)) {
    number += 1;
  }
  return `${stem}-${number}`;
}

/** Do things to sessions over the REST interface, and have the list read again after each. */
export class SessionActions implements ISessionActions {
  constructor(
    private _settings: Settings,
    private _changed: () => void
  ) {}

  async create(request: SessionRequest): Promise<Session> {
    return this._acted(
      call(this._settings, routes.sessionsCreate, { body: request })
    );
  }

  preview(request: SessionRequest, signal: AbortSignal): Promise<Preview> {
    return call(this._settings, routes.sessionsPreview, {
      body: request,
      signal
    });
  }

  stop(id: string, reason = ''): Promise<Session> {
    return this._acted(
      call(this._settings, routes.sessionsStop, {
        args: { id },
        body: { reason }
      })
    );
  }

  suspend(id: string, reason = ''): Promise<Session> {
    return this._acted(
      call(this._settings, routes.sessionsSuspend, {
        args: { id },
        body: { reason }
      })
    );
  }

  resume(id: string): Promise<Session> {
    return this._acted(
      call(this._settings, routes.sessionsResume, { args: { id }, body: {} })
    );
  }

  keepAlive(id: string, span = ''): Promise<Session> {
    return this._acted(
      call(this._settings, routes.sessionsKeepAlive, {
        args: { id },
        body: { span }
      })
    );
  }

  activity(id: string, background = false): Promise<Activity> {
    return call(this._settings, routes.sessionsActivity, {
      args: { id },
      background
    });
  }

  policy(id: string, background = false): Promise<SessionPolicy> {
    return call(this._settings, routes.sessionsPolicy, {
      args: { id },
      background
    });
  }

  async delete(id: string): Promise<void> {
    await this._acted(
      call(this._settings, routes.sessionsDelete, { args: { id } })
    );
  }

  advice(id: string, background = false): Promise<Advice> {
    return call(this._settings, routes.sessionsAdvice, {
      args: { id },
      background
    });
  }

  runs(id: string, background = false): Promise<RunList> {
    return call(this._settings, routes.sessionsRuns, {
      args: { id },
      background
    });
  }

  resize(id: string, request: ResizeRequest): Promise<Session> {
    return this._acted(
      call(this._settings, routes.sessionsResize, {
        args: { id },
        body: request
      })
    );
  }

  log(id: string, query: LogQuery, signal: AbortSignal): Promise<LogChunk> {
    return call(this._settings, routes.sessionsLog, {
      args: { id },
      query,
      signal,
      background: true
    });
  }

  async putPage(
    id: string,
    page: string,
    report: PageReport,
    isLast: boolean
  ): Promise<void> {
    await call(this._settings, routes.sessionsPutPage, {
      args: { id, page },
      body: report,
      background: true, // a page that is open is not used by that
      keepalive: isLast
    });
  }

  url(session: Session, port?: number): string {
    const path = port ? `${session.path}p/${port}/` : session.path;
    return outerUrl(this._settings, path);
  }

  private async _acted<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      // After a failure, too: it often means that the list on the screen is old.
      this._changed();
    }
  }
}
