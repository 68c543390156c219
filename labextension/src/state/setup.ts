import { ApiError } from '../api/errors';
import { About } from '../api/models';
import { API_VERSION, sameVersion, VERSION } from '../api/version';
import { Result } from './resource';

/** What stands between the user and the workspace; `fine` and `pending` do not. */
export type Diagnosis =
  | { readonly kind: 'pending' | 'fine' }
  /** The server half is not installed, or not enabled, where this JupyterLab runs. */
  | { readonly kind: 'missing' }
  /** It is of another release; `usable` while both still speak the same API. */
  | {
      readonly kind: 'version';
      readonly server: string;
      readonly page: string;
      readonly usable: boolean;
    }
  /** This user may not use it. */
  | { readonly kind: 'forbidden'; readonly error: ApiError }
  /**
   * It is there and cannot work, for example because its controller does not start, or does not by
   * design: that of a session on a cluster may be on another machine.
   */
  | { readonly kind: 'failed' | 'elsewhere'; readonly error: ApiError };

/** Return what is wrong, from what the server reports about itself. */
export function diagnose(about: Result<About>): Diagnosis {
  switch (about.status) {
    case 'pending':
      return { kind: 'pending' };
    case 'ready':
      // A value that was not confirmed just now is shown as it was: sections say so themselves.
      return compare(about.value);
    case 'error':
      return explain(about.error);
  }
}

function compare(about: About): Diagnosis {
  const usable = about.api === API_VERSION;
  return usable && sameVersion(about.version, VERSION)
    ? { kind: 'fine' }
    : { kind: 'version', server: about.version, page: VERSION, usable };
}

function explain(error: ApiError): Diagnosis {
  if (error.code === 'NoExtension') {
    return { kind: 'missing' };
  }
  if (error.code === 'LaunchedElsewhere') {
    return { kind: 'elsewhere', error };
  }
  return error.status === 401 || error.status === 403
    ? { kind: 'forbidden', error }
    : { kind: 'failed', error };
}
