import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { asApiError } from '../../api/errors';
import { Version } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { Result } from '../resource';

/** The versions of those datasets that are looked at, read again whenever datasets change. */
export class VersionLists implements IDisposable {
  constructor(private _workspace: Pick<IGpuWorkspace, 'call' | 'resource'>) {
    _workspace.resource('datasets').changed.connect(this._readAll, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether a dataset's versions are shown. */
  isOpen(dataset: string): boolean {
    return this._open.has(dataset);
  }

  toggle(dataset: string, isOpen = !this.isOpen(dataset)): void {
    if (isOpen) {
      this._open.add(dataset);
      void this.read(dataset);
    } else {
      this._open.delete(dataset);
    }
    this._changed.emit();
  }

  /** Return what is known of a dataset's versions, newest first. */
  of(dataset: string): Result<readonly Version[]> {
    return this._known.get(dataset) ?? { status: 'pending' };
  }

  /** Read the versions of a dataset; the outcome is in `of`. */
  async read(dataset: string): Promise<void> {
    const reading = {};
    this._reading.set(dataset, reading);
    let result: Result<readonly Version[]>;
    try {
      const args = { dataset };
      const page = await this._workspace.call(routes.versionsList, { args });
      result = { status: 'ready', value: page.items };
    } catch (thrown) {
      const error = asApiError(thrown);
      const known = this.of(dataset);
      result =
        known.status === 'ready'
          ? { ...known, error }
          : { status: 'error', error };
    }
    // Only the last answer counts: one that was slower is older.
    if (this._reading.get(dataset) === reading && !this._isDisposed) {
      this._known.set(dataset, result);
      this._changed.emit();
    }
  }

  dispose(): void {
    this._isDisposed = true;
    this._workspace
      .resource('datasets')
      .changed.disconnect(this._readAll, this);
    Signal.clearData(this);
  }

  private _readAll(): void {
    this._open.forEach(dataset => void this.read(dataset));
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _known = new Map<string, Result<readonly Version[]>>();
  private _open = new Set<string>();
  private _reading = new Map<string, object>();
}
