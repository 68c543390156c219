import { Event } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { Change } from './models';

/** The schema of our events carries this in its id, whatever host publishes it. */
const SCHEMA = 'jupyter_gpuquota/changed';

/** Pick our changes from Jupyter's event bus, which carries everyone's events. */
export class Changes implements IDisposable {
  constructor(events: Event.IManager) {
    this._stream = events.stream;
    this._stream.connect(this._onEvent, this);
  }

  /** Emitted when a noun is at a new revision. */
  get changed(): ISignal<this, Change> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._stream.disconnect(this._onEvent, this);
    Signal.clearData(this);
  }

  private _onEvent(_: Event.IManager, emission: Event.Emission): void {
    const { noun, revision, instance } = emission;
    if (
      emission.schema_id.includes(SCHEMA) &&
      typeof noun === 'string' &&
      typeof revision === 'string' &&
      typeof instance === 'string'
    ) {
      this._changed.emit({ noun, revision, instance });
    }
  }

  private _changed = new Signal<this, Change>(this);
  private _isDisposed = false;
  private _stream: Event.Stream;
}
