import {
  StorageClass,
  Volume,
  VolumeChange,
  VolumeRequest
} from '../../api/models';
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

/** Return the classes of which volumes of a project can be made. Throws ApiError. */
export async function askClasses(
  workspace: Pick<IGpuWorkspace, 'call'>,
  project: string
): Promise<readonly StorageClass[]> {
  const query = { project };
  return (await workspace.call(routes.volumesList, { query })).classes;
}

/** Return the parts of a volume's path; `~` stands for the slash after a cluster. */
function argsOf({ name, project }: Volume): {
  project: string;
  volume: string;
} {
  return { project: project.replace('/', '~'), volume: name };
}
