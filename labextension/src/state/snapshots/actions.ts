import {
  Job,
  Restoration,
  RestoreRequest,
  Snapshot,
  SnapshotMarks,
  SnapshotRequest
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';

/** What can be done to snapshots and restores. Every call throws ApiError. */
export class SnapshotActions {
  constructor(private _workspace: Pick<IGpuWorkspace, 'call' | 'resource'>) {}

  /** Begin to take a snapshot of a session. */
  take(session: string, body: SnapshotRequest): Promise<Snapshot> {
    const args = { id: session };
    return this._do(
      this._workspace.call(routes.snapshotsCreate, { args, body })
    );
  }

  mark({ id }: Snapshot, body: SnapshotMarks): Promise<Snapshot> {
    const args = { snapshot: id };
    return this._do(this._workspace.call(routes.snapshotsMark, { args, body }));
  }

  pin({ id }: Snapshot, why: string): Promise<Snapshot> {
    const args = { snapshot: id };
    const body = { why };
    return this._do(this._workspace.call(routes.snapshotsPin, { args, body }));
  }

  unpin({ id }: Snapshot): Promise<Snapshot> {
    const args = { snapshot: id };
    return this._do(this._workspace.call(routes.snapshotsUnpin, { args }));
  }

  delete({ id }: Snapshot): Promise<unknown> {
    const args = { snapshot: id };
    return this._do(this._workspace.call(routes.snapshotsDelete, { args }));
  }

  /** Hash everything that it consists of again. */
  verify({ id }: Snapshot): Promise<Job> {
    const args = { snapshot: id };
    return this._do(this._workspace.call(routes.snapshotsVerify, { args }));
  }

  /** Write its files to a new folder of the controller's machine. */
  export({ id }: Snapshot, folder: string): Promise<Job> {
    const args = { snapshot: id };
    const body = { folder };
    return this._do(
      this._workspace.call(routes.snapshotsExport, { args, body })
    );
  }

  restore({ id }: Snapshot, body: RestoreRequest): Promise<Restoration> {
    const args = { snapshot: id };
    return this._do(
      this._workspace.call(routes.snapshotsRestore, { args, body })
    );
  }

  /** What is shown may be out of date after a refusal, too. */
  private async _do<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      const nouns = ['snapshots', 'jobs'] as const;
      await Promise.all(
        nouns.map(noun => this._workspace.resource(noun).refresh())
      );
    }
  }
}
