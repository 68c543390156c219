import { PodOptions, SessionRequest } from '../api/models';
import { canonicalNumber, typedNumber } from './numbers';
import { YES } from './settings/formvalues';

/** Options of a container as they are typed; `ram` is its memory, as `memory` is the GPU's. */
export const NO_OPTIONS = {
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

/** Return checked options as they would be typed, in the order of the form. */
export function typedOptions(options: PodOptions): IOptions {
  const cpus = (milli: number) => milli && typedNumber(milli / 1000);
  const mebibytes = (amount: number) => amount && `${amount}Mi`;
  const lines = (texts: string[]) => texts.join('\n');
  const { run_as_user: user, run_as_group: group } = options;
  const typed = {
    cpu: cpus(options.cpu),
    cpu_limit: cpus(options.cpu_limit),
    ram: mebibytes(options.memory),
    memory_limit: mebibytes(options.memory_limit),
    large_shm: options.large_shm && YES,
    volumes: lines(
      options.mounts.map(
        ({ claim, host_path, path, read_only }) =>
          `${claim || host_path}:${path}${read_only ? ':ro' : ''}`
      )
    ),
    secret_env: lines(
      Object.entries(options.secret_env).map(
        ([name, { secret, key }]) => `${name}=${secret}/${key}`
      )
    ),
    tolerations: lines(
      options.tolerations.map(
        ({ key, value, effect }) =>
          key + (value && `=${value}`) + (effect && `:${effect}`)
      )
    ),
    pull_secrets: lines(options.pull_secrets),
    pull_policy: options.pull_policy,
    service_account: options.service_account,
    run_as: [user, group].filter(id => id !== null).join(':')
  };
  return Object.fromEntries(
    Object.entries(typed).map(([name, text]) => [name, text || ''])
  ) as IOptions;
}

/** Read texts between commas or on lines of their own. */
function listed(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map(each => each.trim())
    .filter(Boolean);
}
