import { ApiError } from '../../api/errors';
import { Session } from '../../api/models';
import { Result } from '../resource';

/** Return how idle a running session is; null if it is used or has no processes. */
export function idleOf({ idle, state }: Session): Session['idle'] {
  return state === 'running' ? idle : null;
}

/** Return whether a session will be ended because it is idle, and its owner was warned. */
export function isWarned(session: Session): boolean {
  return Boolean(idleOf(session)?.warned) && endOf(session) !== null;
}

/** Return whether the policy does anything to a session that is idle, or spares it. */
export function isRuled(session: Session): boolean {
  const idle = idleOf(session);
  return Boolean(idle?.acts || idle?.exempt);
}

/** Return when an idle session will be ended, in milliseconds; null if nothing ends it. */
export function endOf(session: Session): number | null {
  const idle = idleOf(session);
  const ends = idle?.action === 'suspend' || idle?.action === 'stop';
  return idle?.acts && ends ? Date.parse(idle.acts) : null;
}

/** Return until when a running session is kept alive, as the server wrote it; empty if it is not. */
export function keptUntil({ kept, state }: Session, now: number): string {
  return kept && state === 'running' && Date.parse(kept.until) > now
    ? kept.until
    : '';
}

/** Return whether a session was, or is being, ended because it was idle. */
export function wasIdle({ reason, state }: Session): boolean {
  return (
    (reason?.code === 'IdleTimeout' || reason?.code === 'GpuIdleTimeout') &&
    ['stopping', 'suspended', 'stopped'].includes(state)
  );
}

/** Find which of somebody's sessions is ended first for being idle; the one `here` comes first. */
export function soonestWarned(
  sessions: readonly Session[],
  me: string,
  here: string
): Session | undefined {
  return sessions
    .filter(session => session.owner === me && isWarned(session))
    .sort(
      (a, b) =>
        Number(b.id === here) - Number(a.id === here) ||
        (endOf(a) ?? 0) - (endOf(b) ?? 0)
    )[0];
}

/**
 * Return what the ingress answers instead of the session whose own JupyterLab this is; null while
 * the session runs, and in any other JupyterLab.
 */
export function closedHere(
  sessions: Result<unknown>,
  here: string
): ApiError | null {
  const error = sessions.status === 'pending' ? null : sessions.error;
  return here && error?.code === 'WrongState' ? error : null;
}
