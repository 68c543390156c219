import {
  About,
  Department,
  GpuUse,
  Groups,
  Idleness,
  NodeGroup,
  NodeUse,
  Project,
  ProjectUse,
  Quota,
  Rules,
  Session,
  State
} from '../api/models';
import { API_VERSION, VERSION } from '../api/version';
import { lookUp, Table } from '../api/vocabulary';

type Changes = Partial<Omit<Session, 'spec'>> & {
  spec?: Partial<Session['spec']>;
};

const OVER = ['log', 'resume', 'resize', 'delete', 'activity', 'snapshot'];

/** What the server offers to the owner of a session with pages, in each of its states. */
const ACTIONS: Table<State, readonly string[]> = {
  waiting: ['log', 'suspend', 'resize', 'stop', 'delete', 'activity'],
  starting: ['log', 'suspend', 'resize', 'stop', 'activity'],
  running: [
    'open',
    'log',
    'exec',
    'keep_alive',
    'suspend',
    'resize',
    'stop',
    'activity',
    'snapshot'
  ],
  stopping: ['log', 'activity', 'snapshot'],
  suspended: [...OVER, 'stop'],
  stopped: OVER,
  done: OVER,
  failed: OVER
};

/** Make a running session on half a simulated GPU, changed as a test needs it. */
export function makeSession({ spec, ...rest }: Changes = {}): Session {
  const id = rest.id ?? 's1';
  const state = rest.state ?? 'running';
  return {
    id,
    spec: {
      name: 'exp-1',
      project: 'team-a',
      kind: 'interactive',
      share: { milli: 500, memory: 0, compute: 0, mig: '' },
      environment: '/env',
      image: '',
      folder: '/home/ana',
      command: [],
      args: [],
      env: {},
      ports: [],
      priority: 50,
      node_type: '',
      idle_timeout: null,
      base_url: '/user/ana/',
      ...spec
    },
    owner: 'ana',
    state,
    since: '2026-01-01T12:00:00Z',
    created: '2026-01-01T11:59:00Z',
    path: `gpuquota/s/${id}/`,
    revision: '1',
    run: 1,
    goal: 'run',
    ending: null,
    reason: null,
    placement: {
      node: 'dgx1-1',
      slices: [
        {
          index: 3,
          uuid: 'GPU-3',
          milli: 500,
          memory: 16384,
          compute: 0,
          mig: ''
        }
      ],
      simulated: true
    },
    isolation: {
      memory: 'none',
      compute: 'none',
      scope: '',
      bypass: [],
      note: 'The GPU is simulated: nothing is limited.'
    },
    started: '2026-01-01T12:00:00Z',
    ended: null,
    progress: [],
    exit: null,
    usage: null,
    saving: null,
    queue_position: 0,
    reclaimed: null,
    ends: null,
    ends_by: '',
    idle: null,
    kept: null,
    actions: [...(lookUp(ACTIONS, state) ?? [])],
    ...rest
  };
}

/** Make a session that is idle for some minutes by now, and suspended in some more. */
export function makeIdle(
  since: number,
  left: number,
  changes: Partial<Idleness> = {},
  now = Date.now()
): Idleness {
  const at = (minutes: number) => new Date(now + minutes * 60_000);
  return {
    since: at(-since).toISOString(),
    rule: 'idle_timeout',
    level: 'project:team-a',
    action: 'suspend',
    acts: at(left).toISOString(),
    warned: null,
    exempt: null,
    ...changes
  };
}

/** Make the first page of a list that holds all of some sessions. */
export function makePage(items: Session[], revision = '1') {
  return { items, total: items.length, revision, next: '' };
}

export function makeAbout(changes: Partial<About> = {}): About {
  return {
    version: VERSION,
    api: API_VERSION,
    backend: 'local',
    user: 'ana',
    source: 'simulated',
    simulated: true,
    local_files: true,
    outlives_controller: true,
    capabilities: ['logs'],
    warnings: [],
    ...changes
  };
}

export function makeProject(changes: Partial<ProjectUse> = {}): ProjectUse {
  return {
    name: 'team-a',
    quota: 4000,
    allocated: 1500,
    over: 0,
    requested: 1500,
    fair: 1500,
    weight: 4000,
    limit: null,
    priority: 100,
    running: 2,
    waiting: 0,
    users: [
      { user: 'li', allocated: 1000, waiting: 0 },
      { user: 'ana', allocated: 500, waiting: 0 }
    ],
    ...changes
  };
}

export function makeQuota(changes: Partial<Quota> = {}): Quota {
  return {
    projects: [makeProject()],
    capacity: 16000,
    allocated: 1500,
    free: 14500,
    others: 0,
    simulated: true,
    mine: ['team-a'],
    default: 'team-a',
    admin: false,
    revision: '1',
    ...changes
  };
}

/** Make a department of `team-a`. */
export function makeDepartment(changes: Partial<Department> = {}): Department {
  return {
    name: 'vision',
    parent: '',
    projects: ['team-a'],
    quota: 8000,
    limit: null,
    allocated: 5000,
    ...changes
  };
}

/** Make a GPU that is measured. */
export function makeGpu(changes: Partial<GpuUse> = {}): GpuUse {
  return {
    node: 'n1',
    name: '0',
    model: 'A100',
    memory: 40_960,
    utilisation: 7,
    memory_used: 512,
    temperature: 45,
    programs: [],
    sessions: [],
    mine: false,
    ...changes
  };
}

export function makeSetProject(changes: Partial<Project> = {}): Project {
  return {
    name: 'team-a',
    quota: 4000,
    weight: null,
    limit: null,
    priority: 100,
    members: [],
    leads: [],
    viewers: [],
    node_affinity: { interactive: [], train: [] },
    interactive_duration: 0,
    min_runtime: 0,
    draining: false,
    people_shown: true,
    revision: '7',
    ...changes
  };
}

export function makeRules(changes: Partial<Rules> = {}): Rules {
  return {
    grace: 60,
    min_runtime: 0,
    consolidate: false,
    revision: '3',
    ...changes
  };
}

/** Make the node groups that there are. */
export function makeGroups(items: NodeGroup[] = [], revision = '5'): Groups {
  return { items, revision };
}

/** Return a node of eight GPUs that the engine does not tell apart. */
export function makeNode(
  name: string,
  changes: Partial<NodeUse> = {}
): NodeUse {
  const device = {
    index: null,
    uuid: '',
    model: 'V100',
    memory: 32768,
    simulated: true,
    mps: false,
    mig: [],
    lost: false,
    count: 8
  };
  const slice = {
    session: 's1',
    name: 'exp-1',
    project: 'team-a',
    owner: 'ana',
    milli: 2000,
    memory: 65536,
    compute: 0,
    mig: '',
    used: null,
    over: false
  };
  const use = { device, slices: [slice], utilisation: null, memory_used: null };
  const free = changes.problem ? 0 : 6000;
  return { name, simulated: true, devices: [{ ...use, free }], ...changes };
}
