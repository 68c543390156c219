import { URLExt } from '@jupyterlab/coreutils';
import { KernelMessage, ServerConnection } from '@jupyterlab/services';
import { foreign } from './errors';
import { Settings } from './request';

/** Messages that did not fit, and from when to when they came. */
export interface IDropped {
  count: number;
  first: string;
  last: string;
}

/** Code that an earlier page had a kernel run, and whose output was held. */
export interface IHeldRequest {
  id: string;
  /** The cell; empty for code that no cell of a notebook holds. */
  cell: string;
  finished: boolean;
  dropped: IDropped | null;
}

/** What the ingress has held of a kernel. */
export interface IMissed {
  requests: IHeldRequest[];
  messages: KernelMessage.IIOPubMessage[];
  /** What of this very page's requests it can never get. */
  lost: IDropped | null;
}

/**
 * Take what was held of a kernel for this page, which names itself and the one `before` it; null
 * where the ingress holds nothing. Throws ApiError.
 */
export async function takeMissed(
  settings: Settings,
  kernel: string,
  client: string,
  before: string
): Promise<IMissed | null> {
  const path = `gpuquota/missed/${encodeURIComponent(kernel)}`;
  const query = new URLSearchParams({ client, before });
  const url = `${URLExt.join(settings.baseUrl, path)}?${query}`;
  const answer = await ServerConnection.makeRequest(
    url,
    { method: 'POST', cache: 'no-cache' },
    settings
  );
  if (answer.status === 404) {
    return null; // an older ingress has passed it on to the session
  }
  if (!answer.ok) {
    const message = `${answer.url}: ${answer.statusText}`;
    throw foreign('BadAnswer', message, answer.status);
  }
  return (await answer.json()) as IMissed;
}
