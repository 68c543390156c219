import {
  CachedVersion,
  CacheState,
  Dataset,
  Job,
  Version
} from '../../api/models';
import { Result } from '../resource';

/** One row of the tree of datasets; `id` is unique in it. */
export type Row =
  | { readonly kind: 'dataset'; readonly id: string; readonly dataset: Dataset }
  | {
      readonly kind: 'version';
      readonly id: string;
      readonly dataset: Dataset;
      readonly version: Version;
      /** What is near the GPUs of it. */
      readonly copy: ICopy;
    }
  /** What is said where versions would be. */
  | {
      readonly kind: 'pending' | 'empty' | 'error';
      readonly id: string;
      readonly dataset: Dataset;
      readonly message: string;
    };

/** What is near the GPUs of a version. */
export interface ICopy {
  readonly state: CacheState | 'none' | 'waiting';
  /** How much of it is there, from 0 to 1. */
  readonly part: number;
  readonly cached?: CachedVersion;
  /** The job that fetches it. */
  readonly job?: Job;
}

/** Return whether a job waits or runs. */
export function isActive({ state }: Job): boolean {
  return state === 'waiting' || state === 'running';
}

/** Return what is near the GPUs of a version, from all that is known. */
export function copyOf(
  version: Version,
  caches: readonly CachedVersion[],
  jobs: readonly Job[]
): ICopy {
  const isOurs = (item: { dataset: string; version: string }) =>
    item.dataset === version.dataset && item.version === version.id;
  const job = jobs.find(
    item => item.kind === 'cache' && isActive(item) && isOurs(item)
  );
  const cached = caches.find(isOurs);
  if (job) {
    const state = job.state === 'waiting' ? 'waiting' : 'fetching';
    return { state, part: partOf(job), cached, job };
  }
  const copy = cached ?? version.copy;
  return copy
    ? { state: copy.state, part: partOf(copy), cached }
    : { state: 'none', part: 0 };
}

/** Return how much is done of something, from 0 to 1; 0 while its size is unknown. */
export function partOf({ done, size }: { done: number; size: number }): number {
  return size ? Math.min(1, done / size) : 0;
}

/** Return the rows of the tree: datasets that match a filter, and below open ones their versions. */
export function rowsOf(
  datasets: readonly Dataset[],
  versionsOf: (dataset: string) => Result<readonly Version[]> | undefined,
  caches: readonly CachedVersion[],
  jobs: readonly Job[],
  filter = ''
): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return datasets
    .filter(dataset => {
      const { name, project, description, latest } = dataset;
      const text = [name, project, description, ...(latest?.tags ?? [])]
        .join('\n')
        .toLowerCase();
      return words.every(word => text.includes(word));
    })
    .flatMap((dataset): Row[] => {
      const versions = versionsOf(dataset.name);
      const head = { kind: 'dataset', id: dataset.name, dataset } as const;
      return versions
        ? [head, ...below(dataset, versions, caches, jobs)]
        : [head];
    });
}

function below(
  dataset: Dataset,
  versions: Result<readonly Version[]>,
  caches: readonly CachedVersion[],
  jobs: readonly Job[]
): Row[] {
  const note = (kind: 'pending' | 'empty' | 'error', message = ''): Row[] => [
    { kind, id: `${dataset.name}/`, dataset, message }
  ];
  if (versions.status === 'error') {
    const { message, hint } = versions.error;
    return note('error', [message, hint].filter(Boolean).join(' '));
  }
  if (versions.status === 'pending') {
    return note('pending');
  }
  return versions.value.length
    ? versions.value.map(version => ({
        kind: 'version',
        id: `${dataset.name}@${version.id}`,
        dataset,
        version,
        copy: copyOf(version, caches, jobs)
      }))
    : note('empty');
}
