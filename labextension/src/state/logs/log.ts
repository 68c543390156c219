import { IDisposable } from '@lumino/disposable';
import { Poll } from '@lumino/polling';
import { ISignal, Signal } from '@lumino/signaling';
import { Aborted, ApiError, asApiError } from '../../api/errors';
import { LogChunk, LogQuery } from '../../api/models';
import { LogText, sizeOf } from './logtext';

const TAIL = 1000;
const STEP = 262_144;
const INTERVAL = 1000;

type Fetch = (query: LogQuery, signal: AbortSignal) => Promise<LogChunk>;

/** Read a session's log: first its end, then whatever comes, and what was before on request. */
export class LogModel implements IDisposable {
  /** `isShown` returns whether the log is visible; nothing is read while it is not. */
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
    return this._cursor === undefined && !this._error;
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
    return this._earlier !== '' || this.text.isCut;
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
    const before = this._earlier;
    if (!this.canLoadEarlier) {
      return;
    }
    await this._reading(async signal => {
      const chunk = await this._fetch({ before, limit: STEP }, signal);
      if (chunk.text) {
        this.text.prepend(chunk.text);
      }
      this._takeEarlier(chunk);
    });
  }

  /** Read all that the server has, in parts; undefined if that fails, which `error` tells. */
  async readAll(): Promise<string[] | undefined> {
    const parts: string[] = [];
    const isRead = await this._reading(async signal => {
      let query: LogQuery = { tail: TAIL, limit: STEP };
      let chunk = await this._fetch(query, signal);
      parts.push(chunk.text);
      while (chunk.earlier) {
        query = { before: chunk.earlier, limit: STEP };
        chunk = await this._fetch(query, signal);
        parts.unshift(chunk.text);
      }
    });
    return isRead ? parts : undefined;
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
        const from =
          this._cursor === undefined
            ? { tail: TAIL }
            : { cursor: this._cursor };
        chunk = await this._fetch({ ...from, limit: STEP }, signal);
        this._take(chunk);
      } while (sizeOf(chunk.text) >= STEP / 2); // a full part: there may be more
    });
    if (this._error) {
      throw this._error; // so that the poll slows down
    }
  }

  private _take(chunk: LogChunk): void {
    if (this._cursor === undefined) {
      this._takeEarlier(chunk);
    }
    if (chunk.text) {
      this.text.append(chunk.text);
    }
    this._cursor = chunk.cursor;
    this._ended = chunk.ended;
  }

  private _takeEarlier(chunk: LogChunk): void {
    this._earlier = chunk.earlier ?? '';
    this._rotatedAway = chunk.missed ?? false;
  }

  /** Return whether reading succeeds. */
  private async _reading(
    read: (signal: AbortSignal) => Promise<void>
  ): Promise<boolean> {
    try {
      await read(this._abort.signal);
      this._error = undefined;
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Aborted)) {
        this._error = asApiError(thrown);
      }
      return false;
    } finally {
      this._changed.emit();
    }
  }

  private _abort = new AbortController();
  private _changed = new Signal<this, void>(this);
  /** Where to go on; undefined before the first answer. */
  private _cursor?: string;
  /** Where to go back from; empty if nothing precedes what is here. */
  private _earlier = '';
  private _ended = false;
  private _error?: ApiError;
  private _poll: Poll;
  private _rotatedAway = false;
}
