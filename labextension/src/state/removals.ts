import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { IRemovals } from '../tokens';

/**
 * Hide what the user has deleted, and delete it once it can no longer be undone.
 *
 * A page that is closed before that deletes nothing.
 */
export class Removals implements IRemovals, IDisposable {
  constructor(
    private _delete: (id: string) => Promise<void>,
    readonly delay = 6000
  ) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  isShown = (item: { id: string }): boolean => !this._hidden.has(item.id);

  /** Rejects, with the thing shown again, where deleting it fails. */
  async remove(id: string): Promise<boolean> {
    if (this._hidden.has(id)) {
      return false;
    }
    const kept = await new Promise<boolean>(resolve => {
      const timer = window.setTimeout(() => resolve(false), this.delay);
      this._hidden.set(id, () => {
        window.clearTimeout(timer);
        resolve(true);
      });
      this._changed.emit();
    });
    try {
      if (!kept) {
        await this._delete(id);
      }
      return !kept;
    } finally {
      this._hidden.delete(id);
      this._changed.emit();
    }
  }

  undo(id: string): void {
    this._hidden.get(id)?.();
  }

  dispose(): void {
    this._isDisposed = true;
    this._hidden.forEach(undo => undo());
    Signal.clearData(this);
  }

  private _changed = new Signal<this, void>(this);
  private _hidden = new Map<string, () => void>();
  private _isDisposed = false;
}
