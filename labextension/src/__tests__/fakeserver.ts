import { Event, ServerConnection } from '@jupyterlab/services';
import { Stream } from '@lumino/signaling';
import { Change } from '../api/models';

export interface IAsked {
  method: string;
  /** Below `gpuquota/api`. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

export interface IReply {
  status?: number;
  body?: unknown;
  /** Sent as it is, instead of `body` as JSON. */
  text?: string;
  etag?: string;
}

type Handler = (asked: IAsked) => IReply | Promise<IReply>;

/** A Jupyter Server behind a hub that answers `fetch` from a table. */
export class FakeServer {
  readonly asked: IAsked[] = [];
  readonly settings = ServerConnection.makeSettings({
    baseUrl: 'http://hub.test/user/ana/',
    wsUrl: 'ws://hub.test/user/ana/',
    token: '',
    fetch: (input, init) => this._fetch(input as Request, init)
  });

  /** Answer a method and a path, for example `GET /about`; the last word counts. */
  on(route: string, handler: Handler | IReply): void {
    this._handlers.set(
      route,
      typeof handler === 'function' ? handler : () => handler
    );
  }

  /** Every later call fails as if the cable had been pulled. */
  isDown = false;

  /** How many calls are under way. */
  pending = 0;
  mostPending = 0;

  count(route: string): number {
    return this.asked.filter(
      ({ method, path }) => `${method} ${path}` === route
    ).length;
  }

  private async _fetch(
    request: Request,
    init?: RequestInit
  ): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    const asked: IAsked = {
      method: request.method,
      path: url.pathname.replace('/user/ana/gpuquota/api', ''),
      query: url.searchParams,
      headers: request.headers,
      body: text ? JSON.parse(text) : undefined
    };
    this.asked.push(asked);
    this.pending += 1;
    this.mostPending = Math.max(this.mostPending, this.pending);
    try {
      return await this._answer(asked, init?.signal ?? request.signal);
    } finally {
      this.pending -= 1;
    }
  }

  private async _answer(asked: IAsked, signal: AbortSignal): Promise<Response> {
    if (this.isDown) {
      throw new TypeError('Failed to fetch');
    }
    const handler = this._handlers.get(`${asked.method} ${asked.path}`);
    const reply = handler
      ? await handler(asked)
      : { status: 404, text: '<html>404</html>' };
    if (signal.aborted) {
      throw new DOMException('aborted', 'AbortError');
    }
    const { status = 200, body, text, etag } = reply;
    const empty = status === 304 || status === 204;
    return new Response(empty ? null : (text ?? JSON.stringify(body)), {
      status,
      headers: etag ? { ETag: etag } : {}
    });
  }

  private _handlers = new Map<string, Handler>();
}

/** Jupyter's event bus, on which a test emits events. */
export class FakeEvents implements Event.IManager {
  readonly serverSettings = ServerConnection.makeSettings();
  readonly stream: Event.Stream = new Stream<Event.IManager, Event.Emission>(
    this
  );
  isDisposed = false;

  dispose(): void {
    this.isDisposed = true;
  }

  async emit({ schema_id, data }: Event.Request): Promise<void> {
    (this.stream as Stream<Event.IManager, Event.Emission>).emit({
      ...data,
      schema_id
    } as Event.Emission);
  }

  /** Emit the event that our server extension emits for a change. */
  change(change: Change): Promise<void> {
    return this.emit({
      schema_id:
        'https://jupyter-gpuquota.github.io/jupyter_gpuquota/changed/v1',
      version: '1',
      data: { ...change }
    });
  }
}
