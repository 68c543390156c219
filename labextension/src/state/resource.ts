import { DisposableDelegate, IDisposable } from '@lumino/disposable';
import { Poll } from '@lumino/polling';
import { ISignal, Signal } from '@lumino/signaling';
import { ApiError, asApiError, foreign } from '../api/errors';
import { IAnswer, NOT_MODIFIED } from '../api/request';

/** What is known of something on the server. `error` of a value: why it may be out of date. */
export type Result<T> =
  | { readonly status: 'pending' }
  | {
      readonly status: 'ready';
      readonly value: T;
      readonly error?: ApiError;
    }
  | { readonly status: 'error'; readonly error: ApiError };

/** A document of the server that screens show. */
export interface IResource<T> {
  readonly result: Result<T>;
  readonly changed: ISignal<IResource<T>, Result<T>>;
  /**
   * Keep it up to date until the disposable is disposed.
   *
   * `gap` in milliseconds is the shortest time between two reads for this watcher: what is
   * looked at wants 300, what only counts in the background more.
   */
  watch(gap?: number): IDisposable;
  /** Read it now; the outcome is in `result`. */
  refresh(): Promise<void>;
}

/** Read something now and return it. Throws ApiError. */
export async function latest<T>(resource: IResource<T>): Promise<T> {
  await resource.refresh();
  const { result } = resource;
  if (result.status === 'pending') {
    throw foreign('Unreachable', '', 0); // this page is about to go
  }
  if (result.status === 'error' || result.error) {
    throw result.error;
  }
  return result.value;
}

/** The shortest time between two reads, in milliseconds, for what somebody looks at. */
export const LOOKED_AT = 300;
/** The same for what only counts in the background. */
export const IN_BACKGROUND = 3000;

const SLOWEST = 5 * 60 * 1000;

/**
 * Read something again whenever it changes, as long as somebody watches it.
 *
 * `invalidate` is called on every change; without events, a poll reads every
 * `interval`, ever more slowly while reading fails. There is never more than one read at once,
 * and none while the page is hidden.
 */
export class Resource<T> implements IResource<T>, IDisposable {
  constructor(private _options: Resource.IOptions<T>) {
    this._poll = new Poll({
      auto: false,
      name: `jupyter-gpuquota:${_options.name}`,
      factory: () => this._read(true),
      frequency: {
        interval: _options.interval,
        backoff: true,
        max: Math.max(SLOWEST, _options.interval)
      },
      standby: () => !this._active
    });
    document.addEventListener('visibilitychange', this._onVisible);
  }

  get result(): Result<T> {
    return this._result;
  }

  get changed(): ISignal<this, Result<T>> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._poll.isDisposed;
  }

  /** The time between two polls, in milliseconds. */
  set interval(interval: number) {
    this._poll.frequency = {
      interval,
      backoff: true,
      max: Math.max(SLOWEST, interval)
    };
  }

  watch(gap = LOOKED_AT): IDisposable {
    const watcher = { gap };
    this._watchers.add(watcher);
    if (this._watchers.size === 1) {
      // Whatever has changed since the last watcher left was not heard.
      this.invalidate();
      void this._poll.start();
    }
    return new DisposableDelegate(() => {
      this._watchers.delete(watcher);
      if (!this._watchers.size && !this.isDisposed) {
        void this._poll.stop();
      }
    });
  }

  /** Read again soon, however often this is called. */
  invalidate(): void {
    this._stale = true;
    if (this._timer !== undefined || !this._active) {
      return;
    }
    const gap = Math.min(...[...this._watchers].map(watcher => watcher.gap));
    const wait = Math.max(0, this._readAt + gap - Date.now());
    this._timer = window.setTimeout(() => {
      this._timer = undefined;
      if (this._active) {
        void this._readAndReschedule(true);
      }
    }, wait);
  }

  refresh(): Promise<void> {
    return this._readAndReschedule(false);
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    document.removeEventListener('visibilitychange', this._onVisible);
    window.clearTimeout(this._timer);
    this._poll.dispose();
    Signal.clearData(this);
  }

  private get _active(): boolean {
    return this._watchers.size > 0 && !document.hidden && !this.isDisposed;
  }

  private async _readAndReschedule(background: boolean): Promise<void> {
    const read = await this._read(background).then(
      () => true,
      () => false // it is in `result`
    );
    if (read && this._watchers.size && !this.isDisposed) {
      await this._poll.schedule();
    }
  }

  /** Read; if a read is under way, read once more after it, since it may be too early. */
  private _read(background: boolean): Promise<void> {
    if (!this._reading) {
      this._reading = this._readOnce(background).finally(() => {
        this._reading = undefined;
      });
      return this._reading;
    }
    if (!this._readingNext) {
      const next = () => {
        this._readingNext = undefined;
        return this._read(background);
      };
      this._readingNext = this._reading.then(next, next);
    }
    return this._readingNext;
  }

  private async _readOnce(background: boolean): Promise<void> {
    this._stale = false;
    try {
      const answer = await this._options.read(this._etag, background);
      if (answer !== NOT_MODIFIED) {
        this._etag = answer.etag;
        this._set({ status: 'ready', value: answer.value });
      } else if (this._result.status === 'ready' && this._result.error) {
        this._set({ status: 'ready', value: this._result.value });
      }
    } catch (thrown) {
      const error = asApiError(thrown);
      this._set(
        this._result.status === 'ready'
          ? { ...this._result, error }
          : { status: 'error', error }
      );
      throw error;
    } finally {
      this._readAt = Date.now();
    }
  }

  private _set(result: Result<T>): void {
    if (!this.isDisposed) {
      this._result = result;
      this._changed.emit(result);
    }
  }

  private _onVisible = (): void => {
    if (
      this._stale ||
      Date.now() - this._readAt > this._poll.frequency.interval
    ) {
      this.invalidate();
    }
  };

  private _changed = new Signal<this, Result<T>>(this);
  private _etag = '';
  private _poll: Poll;
  private _readAt = 0;
  private _reading?: Promise<void>;
  private _readingNext?: Promise<void>;
  private _result: Result<T> = { status: 'pending' };
  private _stale = true;
  private _timer?: number;
  private _watchers = new Set<{ gap: number }>();
}

export namespace Resource {
  export interface IOptions<T> {
    name: string;
    /** The time between two polls, in milliseconds. */
    interval: number;
    /** Read it; throws ApiError. An empty `etag` asks for the value in any case. */
    read: (
      etag: string,
      background: boolean
    ) => Promise<IAnswer<T> | typeof NOT_MODIFIED>;
  }
}
