import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { ApiError, asApiError } from '../../api/errors';
import { KeepRequest, Session, SessionVariables } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { can } from '../sessions';

/** The variables of a session's kernels, and which of them are kept when it restarts. */
export class VariableChoice implements IDisposable {
  constructor(
    private _workspace: Pick<IGpuWorkspace, 'call' | 'about'>,
    private _session: Session
  ) {
    if (this.isOffered) {
      void this.ask();
    }
  }

  /** Whether kernels can be asked: those of a session with pages that runs. */
  get isOffered(): boolean {
    const { state, spec } = this._session;
    const { result } = this._workspace.about;
    return (
      state === 'running' &&
      !spec.command.length &&
      can(this._session, 'exec') &&
      result.status === 'ready' &&
      result.value.capabilities.includes('variables')
    );
  }

  /** What the kernels have; undefined until they have answered. */
  get found(): SessionVariables | undefined {
    return this._found;
  }

  /** Why they cannot be asked. */
  get failure(): ApiError | undefined {
    return this._failure;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Ask the kernels, again where that has failed or one was busy. */
  async ask(): Promise<void> {
    this._failure = this._found = undefined;
    this._changed.emit();
    try {
      this._found = await this._workspace.call(routes.sessionsVariables, {
        args: { id: this._session.id }
      });
    } catch (thrown) {
      this._failure = asApiError(thrown);
    }
    this._changed.emit();
  }

  keeps(path: string, name: string): boolean {
    return this._kept.get(path)?.has(name) ?? false;
  }

  set(path: string, name: string, isKept: boolean): void {
    const names = this._kept.get(path) ?? new Set();
    if (isKept) {
      names.add(name);
    } else {
      names.delete(name);
    }
    this._kept.set(path, names);
    this._changed.emit();
  }

  /** The part of a request; empty where nothing is kept, for servers of an older version. */
  get request(): { keep?: KeepRequest[] } {
    const keep = [...this._kept]
      .filter(([, names]) => names.size)
      .map(([path, names]) => ({ path, names: [...names] }));
    return keep.length ? { keep } : {};
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _changed = new Signal<this, void>(this);
  private _failure?: ApiError;
  private _found?: SessionVariables;
  private _isDisposed = false;
  private _kept = new Map<string, Set<string>>();
}
