import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { Comparison, Difference, FileChange } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { Pages } from './pages';

/** Two versions of a dataset, by id, a tag or `latest`. */
export interface IPair {
  readonly dataset: string;
  readonly version: string;
  readonly other: string;
}

/** What differs between two versions, as far as it is asked for. */
export class VersionComparison implements IDisposable {
  constructor(
    private _workspace: Pick<IGpuWorkspace, 'call'>,
    readonly pair: IPair
  ) {
    this._pages = this._list();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get pages(): Pages<Difference> {
    return this._pages;
  }

  /** How many paths differ in all; undefined until that is known. */
  get counts(): Pick<Comparison, FileChange & keyof Comparison> | undefined {
    return this._counts;
  }

  /** Which changes are shown; empty for all. */
  get change(): '' | 'added' | 'removed' | 'changed' {
    return this._change;
  }

  get match(): string {
    return this._match;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  show(change: '' | 'added' | 'removed' | 'changed'): void {
    this._change = change;
    this._again();
  }

  search(match: string): void {
    this._match = match;
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._again(), 250);
    this._changed.emit();
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    this._pages.dispose();
    Signal.clearData(this);
  }

  private _again(): void {
    this._pages.dispose();
    this._pages = this._list();
    this._changed.emit();
  }

  private _list(): Pages<Difference> {
    const { dataset, other, version } = this.pair;
    const match = this._match.trim();
    const change = this._change;
    const pages = new Pages<Difference>(async (query, signal) => {
      const answer = await this._workspace.call(routes.versionsCompare, {
        args: { dataset, version },
        query: {
          ...query,
          other,
          ...(match ? { match } : {}),
          ...(change ? { change } : {})
        },
        signal
      });
      this._counts ??= answer;
      return answer;
    });
    pages.changed.connect(() => this._changed.emit());
    return pages;
  }

  private _change: '' | 'added' | 'removed' | 'changed' = '';
  private _changed = new Signal<this, void>(this);
  private _counts?: Comparison;
  private _isDisposed = false;
  private _match = '';
  private _pages: Pages<Difference>;
  private _timer?: number;
}
