import { IDisposable } from '@lumino/disposable';
import { Session } from '../api/models';
import { IGpuWorkspace } from '../tokens';
import { IResource, Resource } from './resource';
import { can } from './sessions';

/**
 * Something about the use of one session that its own route tells, as long as somebody watches;
 * null where the user may not see the session's activity.
 *
 * It is asked as often as the list of sessions at most, and once more when the list tells that
 * the session itself is another than before.
 */
export class SessionResource<T> implements IDisposable {
  /** `sum` returns, as text, whatever of a session the answer depends on. */
  constructor(
    private _workspace: IGpuWorkspace,
    private _id: string,
    name: string,
    read: (id: string, background: boolean) => Promise<T>,
    private _sum: (session: Session) => unknown
  ) {
    this._resource = new Resource<T | null>({
      name,
      interval: this._interval,
      read: async (_, background) => {
        const session = _workspace.session(_id);
        const isHidden = session && !can(session, 'activity');
        const value = isHidden ? null : await read(_id, background);
        return { value, etag: '' };
      }
    });
    this._known = this._state();
    _workspace.sessions.changed.connect(this._onSessions, this);
    _workspace.preferences.changed.connect(this._onPreferences, this);
  }

  get resource(): IResource<T | null> {
    return this._resource;
  }

  get isDisposed(): boolean {
    return this._resource.isDisposed;
  }

  dispose(): void {
    this._workspace.sessions.changed.disconnect(this._onSessions, this);
    this._workspace.preferences.changed.disconnect(this._onPreferences, this);
    this._resource.dispose();
  }

  private get _interval(): number {
    return this._workspace.preferences.values.pollInterval * 1000;
  }

  private _onSessions(): void {
    const before = this._known;
    this._known = this._state();
    if (before && this._known && this._known !== before) {
      this._resource.invalidate();
    }
  }

  private _onPreferences(): void {
    this._resource.interval = this._interval;
  }

  /** Sum up what the answer depends on; empty while the list does not have the session. */
  private _state(): string {
    const session = this._workspace.session(this._id);
    return session
      ? JSON.stringify([can(session, 'activity'), this._sum(session)])
      : '';
  }

  private _known: string;
  private _resource: Resource<T | null>;
}
