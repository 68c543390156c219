import { Volume, VolumeChange, VolumeRequest } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';

/** What can be done to volumes. Every call throws ApiError. */
export class VolumeActions {
  constructor(private _workspace: Pick<IGpuWorkspace, 'call' | 'resource'>) {}

  create(body: VolumeRequest): Promise<Volume> {
    return this._do(this._workspace.call(routes.volumesCreate, { body }));
  }

  change(volume: Volume, body: VolumeChange): Promise<Volume> {
    const args = argsOf(volume);
    return this._do(this._workspace.call(routes.volumesChange, { args, body }));
  }

  delete(volume: Volume): Promise<unknown> {
    const args = argsOf(volume);
    return this._do(this._workspace.call(routes.volumesDelete, { args }));
  }

  /** What is shown may be out of date after a refusal, too. */
  private async _do<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      await this._workspace.resource('volumes').refresh();
    }
  }
}

function argsOf({ name, project }: Volume): {
  project: string;
  volume: string;
} {
  return { project, volume: name };
}
