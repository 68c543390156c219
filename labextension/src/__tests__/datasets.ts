import { CachedVersion, CacheList, Dataset, Job, Version } from '../api/models';

/** An id of a version that begins with some digits. */
export function idOf(digits: string): string {
  return digits.padEnd(64, '0');
}

export function makeVersion(changes: Partial<Version> = {}): Version {
  return {
    dataset: 'faces',
    id: idOf('a1'),
    parents: [],
    message: 'first',
    author: 'ana',
    time: '2026-01-01T12:00:00Z',
    files: 300,
    size: 1_200_000_000,
    added: 1_200_000_000,
    tags: [],
    source: '',
    copy: null,
    ...changes
  };
}

/** Make a dataset that its user may do everything to. */
export function makeDataset(changes: Partial<Dataset> = {}): Dataset {
  return {
    name: 'faces',
    lake: 'local',
    own_lake: false,
    project: 'team-a',
    owner: 'ana',
    created: '2026-01-01T12:00:00Z',
    description: '',
    readers: [],
    writers: [],
    versions: 1,
    cached: 0,
    latest: makeVersion(),
    actions: ['see', 'cache', 'write', 'remove'],
    problem: '',
    ...changes
  };
}

export function makeCached(
  changes: Partial<CachedVersion> = {}
): CachedVersion {
  return {
    dataset: 'faces',
    version: idOf('a1'),
    state: 'cached',
    size: 1_200_000_000,
    files: 300,
    done: 1_200_000_000,
    used: '2026-01-01T12:00:00Z',
    verified: null,
    leases: [],
    pins: [],
    ...changes
  };
}

export function makeCaches(items: CachedVersion[] = []): CacheList {
  const room = {
    capacity: 10e9,
    used: 4e9,
    committed: 5e9,
    evictable: 1e9,
    free: 6e9
  };
  return { items, room, folder: '/cache' };
}

/** Make a job that fetches a version, and has done 43 % of it. */
export function makeJob(changes: Partial<Job> = {}): Job {
  return {
    id: 'j1',
    kind: 'cache',
    dataset: 'faces',
    version: idOf('a1'),
    folder: '',
    user: 'ana',
    host: '',
    pid: 0,
    state: 'running',
    cancelling: false,
    reason: '',
    started: '2026-01-01T12:00:00Z',
    updated: new Date().toISOString(),
    files: 130,
    all_files: 300,
    done: 516_000_000,
    size: 1_200_000_000,
    moved: 516_000_000,
    rate: 12_000_000,
    left: 300,
    problem: null,
    findings: [],
    ...changes
  };
}
