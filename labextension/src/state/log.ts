import { IDisposable } from '@lumino/disposable';
import { Poll } from '@lumino/polling';
import { ISignal, Signal } from '@lumino/signaling';
import { Aborted, ApiError, asApiError } from '../api/errors';
import { LogChunk, LogQuery } from '../api/models';
import { LogText } from './logtext';

const TAIL = 1000;
const STEP = 262_144;
const INTERVAL = 1000;

type Fetch = (query: LogQuery, signal: AbortSignal) => Promise<LogChunk>;

/** Read a session's log: first its end, then whatever comes, and what was before on request. */
export class LogModel implements IDisposable {
  /** `isShown` tells whether anybody looks; nothing is read while nobody does. */
  constructor(
    private _fetch: Fetch,
    isShown: () => boolean
  ) {
    this._poll = new Poll({
      auto: false,
      name: 'jupyter-gpuquota:log',
      factory: () => this._follow(),
      frequency: { interval: INTERVAL, backoff: true, max: 30 * INTERVAL },
      standby: () => this._ended || !isShown() || 'when-hidden'
    });
    void this._poll.refresh();
  }

  readonly text = new LogText();

  /** Emitted when there is more text, or when the state has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether the first answer is still awaited. */
  get isPending(): boolean {
    return this._next === undefined && !this._error;
  }

  /** Whether the session has ended and all of its log is here. */
  get hasEnded(): boolean {
    return this._ended;
  }

  /** Why the last read failed; reading goes on. */
  get error(): ApiError | undefined {
    return this._error;
  }

  /** Whether there is log before what is here. */
  get hasEarlier(): boolean {
    return (this._first > 0 || this.text.isCut) && !this._rotatedAway;
  }

  /** Whether earlier log can be read: it is there, and there is room for it. */
  get canLoadEarlier(): boolean {
    return this.hasEarlier && !this.text.isCut && !this.text.isFull;
  }

  /** Whether earlier log was rotated away on the server. */
  get rotatedAway(): boolean {
    return this._rotatedAway;
  }

  get isDisposed(): boolean {
    return this._poll.isDisposed;
  }

  /** Read on at once: somebody looks again, or a session that had ended runs again. */
  wake(): void {
    this._ended = false;
    void this._poll.refresh();
  }

  /** Read a part of what was before. */
  async loadEarlier(): Promise<void> {
    const offset = Math.max(0, this._first - STEP);
    const limit = this._first - offset;
    if (!limit || !this.canLoadEarlier) {
      return;
    }
    await this._reading(async signal => {
      let chunk = await this._fetch({ offset, limit }, signal);
      const start = chunk.offset;
      this._rotatedAway = start > offset;
      if (start >= this._first) {
        return;
      }
      if (chunk.next > this._first) {
        // It began later than asked, and so reached into what is here.
        const rest = { offset: start, limit: this._first - start };
        chunk = await this._fetch(rest, signal);
      }
      this.text.prepend(chunk.text);
      this._first = start;
    }, undefined);
  }

  dispose(): void {
    this._abort.abort();
    this._poll.dispose();
    Signal.clearData(this);
  }

  private async _follow(): Promise<void> {
    await this._reading(async signal => {
      let chunk: LogChunk;
      do {
        const query =
          this._next === undefined ? { tail: TAIL } : { offset: this._next };
        chunk = await this._fetch(query, signal);
        this._take(chunk);
      } while (chunk.next - chunk.offset >= STEP && chunk.text);
    }, undefined);
    if (this._error) {
      throw this._error; // so that the poll slows down
    }
  }

  private _take(chunk: LogChunk): void {
    if (this._next === undefined) {
      this._first = chunk.offset;
    }
    if (chunk.text) {
      this.text.append(chunk.text);
    }
    this._next = chunk.next;
    this._ended = chunk.ended;
  }

  private async _reading<T>(
    read: (signal: AbortSignal) => Promise<T>,
    otherwise: T
  ): Promise<T> {
    try {
      const value = await read(this._abort.signal);
      this._error = undefined;
      return value;
    } catch (thrown) {
      if (!(thrown instanceof Aborted)) {
        this._error = asApiError(thrown);
      }
      return otherwise;
    } finally {
      this._changed.emit();
    }
  }

  private _abort = new AbortController();
  private _changed = new Signal<this, void>(this);
  private _ended = false;
  private _error?: ApiError;
  /** The offset in bytes of what is here. */
  private _first = 0;
  private _next?: number;
  private _poll: Poll;
  private _rotatedAway = false;
}
