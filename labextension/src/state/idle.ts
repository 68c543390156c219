import { ApiError } from '../api/errors';
import { Session } from '../api/models';
import { Result } from './resource';

/** Say how idle a running session is; null for one that is used, or that has no processes. */
export function idleOf({ idle, state }: Session): Session['idle'] {
  return state === 'running' ? idle : null;
}

/** Tell whether a session will be ended for being idle, and its owner was told so. */
export function isWarned(session: Session): boolean {
  return Boolean(idleOf(session)?.warned) && endOf(session) !== null;
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

/** Tell whether a session was, or is being, ended for being idle. */
export function wasIdle({ reason, state }: Session): boolean {
  return (
    (reason?.code === 'IdleTimeout' || reason?.code === 'GpuIdleTimeout') &&
    ['stopping', 'suspended', 'stopped'].includes(state)
  );
}

/** Return the session whose own JupyterLab has this base URL; empty for any other JupyterLab. */
export function sessionOf(baseUrl: string): string {
  return /\/gpuquota\/s\/([^/]+)\/$/.exec(baseUrl)?.[1] ?? '';
}

/** Return the base URL of the JupyterLab that shows the session whose base URL this is. */
export function outerBase(baseUrl: string): string {
  return baseUrl.replace(/gpuquota\/s\/[^/]+\/$/, '');
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
 * Tell what the ingress says in the place of the session whose own JupyterLab this is; null while
 * the session runs, and in any other JupyterLab.
 */
export function closedHere(
  sessions: Result<unknown>,
  here: string
): ApiError | null {
  const error = sessions.status === 'pending' ? null : sessions.error;
  return here && error?.code === 'WrongState' ? error : null;
}
