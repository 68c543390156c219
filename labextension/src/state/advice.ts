import { Advice, ResizeRequest, Share } from '../api/models';
import { IGpuWorkspace } from '../tokens';
import { IResource } from './resource';
import { SessionResource } from './sessionresource';

/** Return a share as the fields of a request. */
export function toResize(share: Share): ResizeRequest {
  const { milli, memory, compute, mig } = share;
  return {
    ...(milli ? { gpu: String(milli / 1000) } : {}),
    ...(memory ? { gpu_memory: `${memory}Mi` } : {}),
    ...(compute ? { gpu_compute: String(compute) } : {}),
    ...(mig ? { mig_profile: mig } : {})
  };
}

/** The recommended share of a session, as long as it is watched. */
export class SessionAdvice extends SessionResource<Advice> {
  constructor(workspace: IGpuWorkspace, id: string) {
    super(
      workspace,
      id,
      'sessions.advice',
      (id, background) => workspace.actions.advice(id, background),
      ({ spec, started, state, usage }) => [
        state,
        started,
        spec.share,
        usage?.peak
      ]
    );
  }

  get advice(): IResource<Advice | null> {
    return this.resource;
  }
}
