import { Session } from '../../api/models';
import { IGpuWorkspace } from '../../tokens';
import { closedHere } from '../idle/idle';

/** What is known of the session whose own JupyterLab this is. */
export interface IHere {
  readonly session: Session;
  /** Whether its ingress says that it does not run: what is known of it is over. */
  readonly isClosed: boolean;
}

/** Return the session whose own JupyterLab this is; null elsewhere, and while it is not known. */
export function sessionHere(workspace: IGpuWorkspace): IHere | null {
  const session = workspace.session(workspace.here);
  return session
    ? {
        session,
        isClosed: Boolean(closedHere(workspace.sessions.result, workspace.here))
      }
    : null;
}

/**
 * Return the title of a page of a session: the session's name before what JupyterLab wrote.
 *
 * In the workspace of the session's name, JupyterLab ends titles with that name, cut to fifteen
 * letters, or adds it in brackets: it is not repeated.
 */
export function titleHere(title: string, name: string): string {
  const start = `${name} – `;
  if (title.startsWith(start)) {
    return title;
  }
  const short = name.length > 15 ? `${name.slice(0, 12)}…` : name;
  const end = [` - ${short}`, ` (${name})`].find(end => title.endsWith(end));
  return start + (end ? title.slice(0, -end.length) : title);
}
