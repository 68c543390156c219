import { IDisposable } from '@lumino/disposable';
import { Activity, SessionPolicy } from '../api/models';
import { IGpuQuota } from '../tokens';
import { IResource } from './resource';
import { SessionResource } from './sessionresource';

/**
 * What is known of a session's activity, and what the policy comes to for it; null where the user
 * may not see that.
 */
export interface ISessionIdleness {
  /** Null for a session that has no processes to look at. */
  readonly activity: IResource<Activity | null>;
  readonly policy: IResource<SessionPolicy | null>;
}

/** Know how a session is used and what follows from that, as long as somebody watches. */
export class SessionIdleness implements ISessionIdleness, IDisposable {
  constructor(quota: IGpuQuota, id: string) {
    this._activity = new SessionResource<Activity | null>(
      quota,
      id,
      'sessions.activity',
      async (id, background) =>
        quota.session(id)?.state === 'running'
          ? quota.actions.activity(id, background)
          : null,
      ({ idle, kept, state }) => [idle, kept, state]
    );
    this._policy = new SessionResource(
      quota,
      id,
      'sessions.policy',
      (id, background) => quota.actions.policy(id, background),
      // With idleness, because quiet hours begin and exemptions expire.
      ({ idle, kept, spec, state }) => [idle, kept, spec, state]
    );
  }

  get activity(): IResource<Activity | null> {
    return this._activity.resource;
  }

  get policy(): IResource<SessionPolicy | null> {
    return this._policy.resource;
  }

  get isDisposed(): boolean {
    return this._activity.isDisposed;
  }

  dispose(): void {
    this._activity.dispose();
    this._policy.dispose();
  }

  private _activity: SessionResource<Activity | null>;
  private _policy: SessionResource<SessionPolicy>;
}
