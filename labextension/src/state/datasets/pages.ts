import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { Aborted, ApiError, asApiError } from '../../api/errors';

/** Items that are read at once. */
export const PAGE = 200;
/** Pages that are kept: a list of a million items must not fill the browser's memory. */
const KEPT = 60;

/** Read the page that begins after `cursor` items. */
export type ReadPage<T> = (
  query: { cursor: string; limit: number },
  signal: AbortSignal
) => Promise<{ items: T[]; total: number }>;

/** A long list, of which those pages are read that are looked at. */
export class Pages<T> implements IDisposable {
  constructor(private _read: ReadPage<T>) {
    this.want(0, 1);
  }

  /** How many items there are; undefined until the first page is there. */
  get total(): number | undefined {
    return this._total;
  }

  /** Why the last page could not be read. */
  get error(): ApiError | undefined {
    return this._error;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Return an item, undefined until its page is there. */
  at(index: number): T | undefined {
    return this._pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Have items read from `first` to before `last`; what was wanted earlier no longer matters. */
  want(first: number, last: number): void {
    this._wanted = [
      Math.floor(first / PAGE),
      Math.floor(Math.max(first, last - 1) / PAGE)
    ];
    void this._readNext();
  }

  /** Try again after an error. */
  retry(): void {
    this._error = undefined;
    this._changed.emit();
    void this._readNext();
  }

  dispose(): void {
    this._isDisposed = true;
    this._aborter.abort();
    Signal.clearData(this);
  }

  /** Read wanted pages one after another; scrolling on changes which is next. */
  private async _readNext(): Promise<void> {
    const page = this._missing();
    if (page === undefined || this._isReading || this._error) {
      return;
    }
    this._isReading = true;
    try {
      const cursor = page ? String(page * PAGE) : '';
      const answer = await this._read(
        { cursor, limit: PAGE },
        this._aborter.signal
      );
      this._total = answer.total;
      this._pages.set(page, answer.items);
      this._forget();
    } catch (thrown) {
      if (thrown instanceof Aborted) {
        return;
      }
      this._error = asApiError(thrown);
    } finally {
      this._isReading = false;
    }
    if (!this._isDisposed) {
      this._changed.emit();
      void this._readNext();
    }
  }

  private _missing(): number | undefined {
    const [first, last] = this._wanted;
    const end = Math.ceil((this._total ?? 1) / PAGE);
    for (let page = first; page <= Math.min(last, end - 1); page += 1) {
      if (!this._pages.has(page)) {
        return page;
      }
    }
    return undefined;
  }

  private _forget(): void {
    const [middle] = this._wanted;
    const far = [...this._pages.keys()].sort(
      (a, b) => Math.abs(a - middle) - Math.abs(b - middle)
    );
    far.slice(KEPT).forEach(page => this._pages.delete(page));
  }

  private _aborter = new AbortController();
  private _changed = new Signal<this, void>(this);
  private _error?: ApiError;
  private _isDisposed = false;
  private _isReading = false;
  private _pages = new Map<number, T[]>();
  private _total?: number;
  private _wanted: [number, number] = [0, 0];
}
