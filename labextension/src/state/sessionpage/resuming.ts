import { outerBase } from '../../api/addresses';
import { asApiError } from '../../api/errors';
import { call, Settings } from '../../api/request';
import { routes } from '../../api/routes';

/** How often one tries to resume a session whose processes still end, in milliseconds. */
const STILL_STOPPING = 1000;
/** How long one tries, in milliseconds: processes have a minute to end by themselves. */
const LAST_TRY = 70_000;

/**
 * Resume a session in the JupyterLab that shows it, once its processes have ended; throws ApiError.
 */
export async function resumeOutside(
  settings: Settings,
  id: string
): Promise<void> {
  const baseUrl = outerBase(settings.baseUrl);
  // The token is this server's; there, who is logged in has a cookie.
  const there = { ...settings, baseUrl, token: '' };
  const until = Date.now() + LAST_TRY;
  for (;;) {
    try {
      await call(there, routes.sessionsResume, { args: { id }, body: {} });
      return;
    } catch (thrown) {
      const error = asApiError(thrown);
      // Nothing else may be asked there where sessions have hosts of their own.
      if (error.code !== 'WrongState' || Date.now() > until) {
        throw error;
      }
    }
    await new Promise(resolve => window.setTimeout(resolve, STILL_STOPPING));
  }
}
