import { Session } from '../../api/models';
import { IGpuWorkspace } from '../../tokens';
import { closedHere, endOf, isWarned } from '../idle/idle';

/** How soon after the announced end is looked, and how often then, in milliseconds. */
const SOON = 2000;
/** How long the end may be late: a session has time to save and to end by itself. */
const LATE = 5 * 60_000;
/** How often is looked whether a session runs again, in milliseconds. */
const AGAIN = 5000;

/**
 * Look often at the session whose own JupyterLab this is when its announced end comes, and as
 * long as it does not run: whatever tells of changes, and its server with it, is gone then.
 *
 * Returns a function that looks now.
 */
export function lookClosely(workspace: IGpuWorkspace): () => Promise<void> {
  let timer = 0;
  let isClosed = false;
  const plan = () => {
    window.clearTimeout(timer);
    isClosed = staysClosed(isClosed, workspace);
    const session = workspace.session(workspace.here);
    const wait = isClosed ? AGAIN : session ? pause(session, Date.now()) : null;
    if (wait !== null) {
      timer = window.setTimeout(() => void look(), wait);
    }
  };
  const look = async () => {
    if (!isClosed || !document.hidden) {
      await workspace.sessions.refresh();
    }
    plan(); // an answer that nothing has changed emits nothing
  };
  workspace.sessions.changed.connect(plan);
  return look;
}

/** Return whether the session of this page has ended; until an answer comes, that does not change. */
function staysClosed(
  isClosed: boolean,
  { here, sessions }: IGpuWorkspace
): boolean {
  const { result } = sessions;
  const isAnswered = result.status === 'ready' && !result.error;
  return closedHere(result, here) ? true : isClosed && !isAnswered;
}

/** Return how long to wait for the next look; null where none is needed. */
function pause(session: Session, now: number): number | null {
  if (session.state !== 'running') {
    return session.state === 'stopping' ? SOON : AGAIN;
  }
  const end = isWarned(session) ? endOf(session) : null;
  return end === null || now > end + LATE
    ? null
    : Math.max(end - now, 0) + SOON;
}
