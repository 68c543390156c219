import { IDisposable } from '@lumino/disposable';
import { Advice, ResizeRequest, Share } from '../api/models';
import { IGpuQuota } from '../tokens';
import { IResource, Resource } from './resource';

/** Ask for a share in the words of a request. */
export function toResize(share: Share): ResizeRequest {
  const { milli, memory, compute, mig } = share;
  return {
    ...(milli ? { gpu: String(milli / 1000) } : {}),
    ...(memory ? { gpu_memory: `${memory}Mi` } : {}),
    ...(compute ? { gpu_compute: String(compute) } : {}),
    ...(mig ? { mig_profile: mig } : {})
  };
}

/**
 * Know which share a session would do with, as long as somebody watches.
 *
 * It is asked as often as the list of sessions at most, and once more when the list tells that
 * the session itself is another than before.
 */
export class SessionAdvice implements IDisposable {
  constructor(
    private _quota: IGpuQuota,
    private _id: string
  ) {
    this._advice = new Resource<Advice>({
      name: 'sessions.advice',
      interval: this._interval,
      read: async (_, background) => ({
        value: await _quota.actions.advice(_id, background),
        etag: ''
      })
    });
    this._known = this._state();
    _quota.sessions.changed.connect(this._onSessions, this);
    _quota.preferences.changed.connect(this._onPreferences, this);
  }

  get advice(): IResource<Advice> {
    return this._advice;
  }

  get isDisposed(): boolean {
    return this._advice.isDisposed;
  }

  dispose(): void {
    this._quota.sessions.changed.disconnect(this._onSessions, this);
    this._quota.preferences.changed.disconnect(this._onPreferences, this);
    this._advice.dispose();
  }

  private get _interval(): number {
    return this._quota.preferences.values.pollInterval * 1000;
  }

  private _onSessions(): void {
    const before = this._known;
    this._known = this._state();
    if (before && this._known && this._known !== before) {
      this._advice.invalidate();
    }
  }

  private _onPreferences(): void {
    this._advice.interval = this._interval;
  }

  /** Sum up what advice on a session depends on; empty while the list does not have it. */
  private _state(): string {
    const session = this._quota.session(this._id);
    return session
      ? JSON.stringify([
          session.state,
          session.started,
          session.spec.share,
          session.usage?.peak
        ])
      : '';
  }

  private _advice: Resource<Advice>;
  private _known: string;
}
