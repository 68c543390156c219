import { URLExt } from '@jupyterlab/coreutils';
import { Settings } from './request';

/** The base URL of a session's own JupyterLab, or of a program on one of its ports. */
const OF_SESSION = /^(.*\/)gpuquota\/s\/[^/]+\/.*$/;

/** Return the session whose own JupyterLab has this base URL; empty for any other JupyterLab. */
export function sessionOf(baseUrl: string): string {
  return /\/gpuquota\/s\/([^/]+)\/$/.exec(baseUrl)?.[1] ?? '';
}

/**
 * Return the base URL of the JupyterLab that shows sessions: a session's own shows no other, as
 * they stand beside it. Any other JupyterLab's is its own.
 */
export function outerBase(baseUrl: string): string {
  const outer = OF_SESSION.exec(baseUrl)?.[1];
  return outer === undefined ? baseUrl : outerBase(outer);
}

/** Return the address of a page of the JupyterLab that shows sessions. */
export function outerUrl({ baseUrl }: Settings, path: string): string {
  return URLExt.join(outerBase(baseUrl), path);
}
