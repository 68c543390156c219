import {
  CacheAnswer,
  CachedVersion,
  Job,
  JobRequest,
  JobStarted,
  PinRequest,
  Version
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';

/** What can be done to versions of datasets. Every call throws ApiError. */
export class DatasetActions {
  constructor(private _workspace: Pick<IGpuWorkspace, 'call' | 'resource'>) {}

  cache(version: Version): Promise<CacheAnswer> {
    const args = argsOf(version);
    return this._do(this._workspace.call(routes.cachesCreate, { args }));
  }

  clear(version: Version): Promise<unknown> {
    const args = argsOf(version);
    return this._do(this._workspace.call(routes.cachesDelete, { args }));
  }

  pin(version: Version, body: PinRequest): Promise<CachedVersion> {
    const args = argsOf(version);
    return this._do(this._workspace.call(routes.cachesPin, { args, body }));
  }

  unpin(version: Version): Promise<CachedVersion> {
    const args = argsOf(version);
    return this._do(this._workspace.call(routes.cachesUnpin, { args }));
  }

  /** Hash a version again: its objects in the lake, and its cached copy where there is one. */
  verify(version: Version, what: { lake: boolean; cache: boolean }) {
    const args = argsOf(version);
    return this._do<Job>(
      this._workspace.call(routes.versionsVerify, { args, body: what })
    );
  }

  tag({ dataset, id }: Version, tag: string): Promise<Version> {
    const args = { dataset, tag };
    const body = { version: id };
    return this._do(this._workspace.call(routes.versionsTag, { args, body }));
  }

  untag({ dataset }: Version, tag: string): Promise<unknown> {
    const args = { dataset, tag };
    return this._do(this._workspace.call(routes.versionsUntag, { args }));
  }

  /** Start a job on the machine of this JupyterLab, with the user's credentials. */
  start(body: JobRequest): Promise<JobStarted> {
    return this._do(this._workspace.call(routes.jobsStart, { body }));
  }

  cancel({ id }: Job): Promise<Job> {
    const args = { job: id };
    return this._do(this._workspace.call(routes.jobsCancel, { args }));
  }

  /** What is shown may be out of date after a refusal, too. */
  private async _do<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      const nouns = ['datasets', 'caches', 'jobs'] as const;
      await Promise.all(
        nouns.map(noun => this._workspace.resource(noun).refresh())
      );
    }
  }
}

function argsOf({ dataset, id }: Version): {
  dataset: string;
  version: string;
} {
  return { dataset, version: id };
}
