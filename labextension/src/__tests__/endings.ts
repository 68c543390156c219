import { Session } from '../api/models';
import { makeSession } from './builders';

/** Make a session that is being suspended; its pages have `saved` so far. */
export function ending(
  changes: Partial<Session> = {},
  saved = 'asked'
): Session {
  return makeSession({
    state: 'stopping',
    goal: 'suspend',
    reason: {
      code: 'SuspendRequested',
      message: 'Suspended on request.',
      hint: '',
      raw: ''
    },
    ...changes,
    ending: {
      by: '2026-01-01T12:01:00Z',
      signalled: null,
      saved,
      unsaved: 0,
      last_save: null
    }
  });
}

/** Make a session that somebody else has stopped, with a reason. */
export function endedBy(who: string, changes: Partial<Session> = {}): Session {
  const why = 'dgx1-1 is needed.';
  return makeSession({
    state: 'stopped',
    reason: {
      code: 'StopRequested',
      message: `Stopped by ${who}: ${why}`,
      hint: '',
      raw: '',
      key: 'request.stop.who.why',
      args: { who, why }
    },
    ...changes
  });
}

/** Make a session whose GPUs are being taken back. */
export function reclaimed(): Session {
  return ending({
    goal: 'requeue',
    reclaimed: {
      at: '2026-01-01T12:00:00Z',
      session: '',
      name: '',
      project: 'team-d',
      moved: false
    }
  });
}
