import {
  Manifest,
  Snapshot,
  SnapshotList,
  StorageClass,
  Volume,
  VolumeList
} from '../api/models';
import { makeSession } from './builders';
import { idOf } from './datasets';

/** Make a volume that its user may do everything to. */
export function makeVolume(changes: Partial<Volume> = {}): Volume {
  return {
    name: 'scratch',
    project: 'team-a',
    owner: 'ana',
    kind: 'claim',
    folder: '',
    registered: false,
    description: '',
    storage_class: 'fast',
    size: 10_000_000_000,
    used: 1_200_000_000,
    enforced: false,
    modes: ['RWX'],
    read_only: false,
    state: 'ready',
    reason: null,
    nodes: [],
    zones: [],
    uses: [],
    created: '2026-01-01T12:00:00Z',
    level: '',
    source: '',
    actions: ['mount', 'change', 'delete'],
    ...changes
  };
}

export function makeClass(changes: Partial<StorageClass> = {}): StorageClass {
  return {
    name: 'fast',
    default: true,
    provisioner: 'csi.test',
    expandable: true,
    waits: false,
    levels: [],
    modes: [],
    ...changes
  };
}

export function makeVolumes(
  items: Volume[] = [],
  classes: StorageClass[] = [makeClass()]
): VolumeList {
  return { items, classes, problems: [] };
}

/** Make a snapshot that its user may do everything to. */
export function makeSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    id: idOf('5a'),
    session: 's1',
    name: 'exp-1',
    project: 'team-a',
    owner: 'ana',
    created: '2026-01-01T12:00:00Z',
    note: 'before the sweep',
    tags: [],
    trigger: 'request',
    parent: '',
    state: 'ready',
    files: 300,
    size: 1_200_000_000,
    added: 3_000_000,
    consistency: 'quiesced',
    mechanism: 'copy',
    data: [],
    providers: ['lake'],
    metrics: {},
    pin: null,
    problems: 0,
    problem: null,
    job: '',
    actions: ['see', 'restore', 'mark', 'remove'],
    ...changes
  };
}

export function makeSnapshots(items: Snapshot[] = []): SnapshotList {
  return { items, total: items.length, next: '', uses: [], problems: [] };
}

/** Make a manifest with files, one repository with changes and two packages. */
export function makeManifest(changes: Partial<Manifest> = {}): Manifest {
  return {
    schema: 1,
    session: 's1',
    name: 'exp-1',
    project: 'team-a',
    owner: 'ana',
    author: 'ana',
    created: '2026-01-01T12:00:00Z',
    parent: '',
    note: 'before the sweep',
    tags: [],
    trigger: 'request',
    consistency: 'quiesced',
    spec: makeSession().spec,
    tree: {
      folder: '/home/ana',
      lake: 'local',
      dataset: '.snapshots',
      version: idOf('7e'),
      files: 300,
      size: 1_200_000_000,
      added: 3_000_000
    },
    notebooks: [],
    git: [
      {
        folder: '.',
        remote: '',
        commit: 'c0ffee'.padEnd(40, '0'),
        branch: 'main',
        dirty: true,
        patch: '',
        untracked: [],
        all_untracked: 0
      }
    ],
    environment: {
      python: '3.12.1',
      prefix: '/env',
      image: '',
      digest: '',
      packages: { numpy: '2.1.0', torch: '2.5.0' },
      cuda: '',
      driver: '',
      gpus: [],
      share: null
    },
    data: [],
    volumes: [],
    artifacts: [],
    logs: [],
    metrics: {},
    mlflow_run: '',
    kernel: null,
    problems: [],
    ...changes
  };
}
