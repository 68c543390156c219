import { Advice, ResizeRequest, Share } from '../api/models';
import { IGpuQuota } from '../tokens';
import { IResource } from './resource';
import { SessionResource } from './sessionresource';

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

/** Know which share a session would do with, as long as somebody watches. */
export class SessionAdvice extends SessionResource<Advice> {
  constructor(quota: IGpuQuota, id: string) {
    super(
      quota,
      id,
      'sessions.advice',
      (id, background) => quota.actions.advice(id, background),
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
