import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { Aborted, ApiError, asApiError, foreign } from './errors';
import { localise } from './localise';
import { Problem } from './models';
import { released } from './press';
import { Route } from './routes';

/** How to reach the server; other layers pass it on and look at `baseUrl` at most. */
export type Settings = ServerConnection.ISettings;

/** What one call takes; a part that the route lacks cannot be given. */
export type Params<Args, Query, Body> = {
  query?: Query;
  signal?: AbortSignal;
  /** The ETag of what is known: an unchanged answer comes back as `NOT_MODIFIED`. */
  etag?: string;
  /** Whether the answer may be what has changed since that; it then says `since`. */
  changes?: boolean;
  /** Whether no person asked: what a timer asks must not count as activity. */
  background?: boolean;
  /** Whether it is sent even if the page goes meanwhile. */
  keepalive?: boolean;
} & (Args extends undefined ? { args?: undefined } : { args: Args }) &
  (Body extends undefined ? { body?: undefined } : { body: Body });

/** A successful answer; `etag` is empty if the server sent none. */
export interface IAnswer<T> {
  value: T;
  etag: string;
}

/** The answer that what is known still holds. */
export const NOT_MODIFIED = 'not modified';

/**
 * Call a route and return its answer; throws ApiError, or Aborted after `signal`. Like that of `read`,
 * it comes while no pointer is down.
 */
export async function call<Args, Query, Body, Response>(
  settings: Settings,
  route: Route<Args, Query, Body, Response>,
  params: Params<Args, Query, Body>
): Promise<Response> {
  return loaded(params.signal, async () => {
    const answer = await send(settings, route, params);
    return (await parse<Response>(answer)).value;
  });
}

/** Call a route unless what is known still holds; throws as `call` does. */
export async function read<Args, Query, Body, Response>(
  settings: Settings,
  route: Route<Args, Query, Body, Response>,
  params: Params<Args, Query, Body>
): Promise<IAnswer<Response> | typeof NOT_MODIFIED> {
  return loaded(params.signal, async () => {
    const answer = await send(settings, route, params);
    return answer.status === 304 ? NOT_MODIFIED : parse<Response>(answer);
  });
}

/** The most milliseconds to wait for a server that has just started, and between two calls. */
const LOADING = 60_000;
const PAUSE = 500;

/** Return what `once` does; a server that still reads what it is asked for is asked again. */
async function loaded<T>(
  signal: AbortSignal | undefined,
  once: () => Promise<T>
): Promise<T> {
  for (let waited = 0; ; waited += PAUSE) {
    try {
      const answer = await once();
      await released();
      if (signal?.aborted) {
        throw new Aborted();
      }
      return answer;
    } catch (error) {
      const loads = error instanceof ApiError && error.code === 'NotLoaded';
      if (!loads || waited >= LOADING || signal?.aborted) {
        await released();
        throw error;
      }
    }
    await new Promise(resolve => window.setTimeout(resolve, PAUSE));
  }
}

async function send<Args, Query, Body, R>(
  settings: Settings,
  route: Route<Args, Query, Body, R>,
  params: Params<Args, Query, Body>
): Promise<Response> {
  const headers: Record<string, string> = {};
  if (params.body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  if (params.etag) {
    headers['If-None-Match'] = params.changes
      ? `${params.etag}, "changes"`
      : params.etag;
  }
  const init: RequestInit = {
    method: route.method,
    headers,
    signal: params.signal,
    keepalive: params.keepalive,
    // `no-store`, JupyterLab's default, would add a time stamp to the query.
    cache: params.etag ? 'default' : 'no-cache',
    body: params.body === undefined ? undefined : JSON.stringify(params.body)
  };
  try {
    return await ServerConnection.makeRequest(
      address(settings, route.path, params),
      init,
      settings
    );
  } catch (error) {
    throw params.signal?.aborted ? new Aborted() : asApiError(error);
  }
}

function address(
  settings: Settings,
  path: string,
  params: { args?: unknown; query?: unknown; background?: boolean }
): string {
  const args = (params.args ?? {}) as Record<string, string>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(args[name])
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params.query ?? {})) {
    query.set(name, String(value));
  }
  if (params.background) {
    query.set('no_track_activity', '1');
  }
  const search = query.toString();
  const url = URLExt.join(settings.baseUrl, 'gpuquota/api', filled);
  return search ? `${url}?${search}` : url;
}

async function parse<T>(answer: Response): Promise<IAnswer<T>> {
  const body = await answer.text().catch(error => {
    throw asApiError(error);
  });
  const json = decode(body);
  await localise(json);
  if (!answer.ok) {
    throw failure(answer, json);
  }
  if (json === undefined) {
    const message = `The answer of ${answer.url} is not JSON.`;
    throw foreign('BadAnswer', message, answer.status);
  }
  return { value: json as T, etag: answer.headers.get('ETag') ?? '' };
}

function decode(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // the caller says what that means for its answer
  }
}

function failure(answer: Response, json: unknown): ApiError {
  if (isProblem(json)) {
    return new ApiError(json, answer.status);
  }
  const said = `${answer.status} ${answer.statusText}`.trim();
  const code = answer.status === 404 ? 'NoExtension' : 'BadAnswer';
  return foreign(code, said, answer.status);
}

function isProblem(json: unknown): json is Problem {
  const problem = json as Partial<Problem> | null | undefined;
  return (
    typeof problem?.code === 'string' && typeof problem.message === 'string'
  );
}
