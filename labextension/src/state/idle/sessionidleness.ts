import { IDisposable } from '@lumino/disposable';
import { Activity, SessionPolicy } from '../../api/models';
import { IGpuWorkspace } from '../../tokens';
import { IResource } from '../resource';
import { SessionResource } from '../sessionresource';

/**
 * What is known of a session's activity, and what the policy comes to for it; null where the user
 * may not see that.
 */
export interface ISessionIdleness {
  /** Null for a session that has no processes to look at. */
  readonly activity: IResource<Activity | null>;
  readonly policy: IResource<SessionPolicy | null>;
}

/** A session's activity and the policy that applies to it, as long as they are watched. */
export class SessionIdleness implements ISessionIdleness, IDisposable {
  constructor(workspace: IGpuWorkspace, id: string) {
    this._activity = new SessionResource<Activity | null>(
      workspace,
      id,
      'sessions.activity',
      async (id, background) =>
        workspace.session(id)?.state === 'running'
          ? workspace.actions.activity(id, background)
          : null,
      ({ idle, kept, state }) => [idle, kept, state]
    );
    this._policy = new SessionResource(
      workspace,
      id,
      'sessions.policy',
      (id, background) => workspace.actions.policy(id, background),
      // With idleness, because exemptions expire.
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
