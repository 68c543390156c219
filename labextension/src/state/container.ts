import { SessionRequest } from '../api/models';
import { canonicalNumber } from './numbers';
import { YES } from './settings/formvalues';

/** Options of a container as they are typed; `ram` is its memory, as `memory` is the GPU's. */
export const NO_OPTIONS = {
  image: '',
  cpu: '',
  cpu_limit: '',
  ram: '',
  memory_limit: '',
  large_shm: '',
  volumes: '',
  secret_env: '',
  tolerations: '',
  pull_secrets: '',
  pull_policy: '',
  service_account: '',
  run_as: ''
};

export type IOptions = typeof NO_OPTIONS;

/** Return what was entered as fields of a request: a server of an older version knows none. */
export function optionsOf(
  draft: IOptions,
  secrets: Record<string, string>
): Partial<SessionRequest> {
  const fields = {
    cpu: canonicalNumber(draft.cpu),
    cpu_limit: canonicalNumber(draft.cpu_limit),
    memory: canonicalNumber(draft.ram),
    memory_limit: canonicalNumber(draft.memory_limit),
    large_shm: draft.large_shm === YES || '',
    volumes: listed(draft.volumes),
    secret_env: secrets,
    tolerations: listed(draft.tolerations),
    pull_secrets: listed(draft.pull_secrets),
    pull_policy: draft.pull_policy.trim(),
    service_account: draft.service_account.trim(),
    run_as: draft.run_as.trim()
  };
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value === true || Object.keys(value).length
    )
  );
}

/** Read texts between commas or on lines of their own. */
function listed(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map(each => each.trim())
    .filter(Boolean);
}
