/* eslint-disable @typescript-eslint/naming-convention */
// Written by `python -m jupyter_gpuquota.api.schema`: change the Python model instead.

export type CacheState =
  'fetching' | 'cached' | 'damaged' | 'clearing' | (string & {});
export type JobKind =
  | 'sync'
  | 'export'
  | 'import'
  | 'cache'
  | 'evict'
  | 'verify'
  | 'index'
  | 'gc'
  | 'register'
  | 'snapshot'
  | 'restore'
  | (string & {});
export type JobState =
  | 'waiting'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'lost'
  | (string & {});
export type DatasetAction =
  'see' | 'cache' | 'write' | 'remove' | (string & {});
export type StorageBy = 'project' | 'user' | (string & {});
export type OriginKind =
  'version' | 'session' | 'snapshot' | 'commit' | (string & {});
export type Relation = 'produced' | 'used' | 'follows' | (string & {});
export type IdleAction = 'suspend' | 'stop' | 'notify' | (string & {});
export type Kind = 'interactive' | 'interactive-spot' | 'train' | (string & {});
export type SetBy = 'config' | 'store' | 'file' | 'engine' | (string & {});
export type Effect =
  'starts' | 'waits' | 'reclaimed' | 'keeps' | 'ends' | (string & {});
export type StorageKind = 'datasets' | 'snapshots' | 'volumes' | (string & {});
export type Framework = 'torch' | 'mpi' | (string & {});
export type State =
  | 'waiting'
  | 'starting'
  | 'running'
  | 'stopping'
  | 'suspended'
  | 'stopped'
  | 'done'
  | 'failed'
  | (string & {});
export type Goal = 'run' | 'suspend' | 'stop' | 'requeue' | (string & {});
export type ReasonCode =
  | 'OverQuota'
  | 'OverLimit'
  | 'NoNodeFits'
  | 'Fragmented'
  | 'BeingReclaimed'
  | 'Reclaimed'
  | 'Moved'
  | 'Moving'
  | 'NoPlace'
  | 'MaxLifetime'
  | 'IdleTimeout'
  | 'GpuIdleTimeout'
  | 'QueueMissing'
  | 'NotAllowed'
  | 'ImagePull'
  | 'VolumePending'
  | 'DataPending'
  | 'CrashLoop'
  | 'Evicted'
  | 'NodeLost'
  | 'DeviceLost'
  | 'StartFailed'
  | 'StartTimeout'
  | 'CommandFailed'
  | 'Killed'
  | 'OutOfMemory'
  | 'ExitUnknown'
  | 'HostRestarted'
  | 'StopRequested'
  | 'SuspendRequested'
  | 'ResizeRequested'
  | (string & {});
export type Strength =
  'none' | 'cooperative' | 'enforced' | 'hardware' | (string & {});
export type Scope = '' | 'process' | 'container' | 'session' | (string & {});
export type Saved =
  'asked' | 'saved' | 'unsaved' | 'unknown' | 'closed' | (string & {});
export type IdleRule = 'idle_timeout' | 'gpu_idle_timeout' | (string & {});
export type NextAction = 'suspend' | 'stop' | 'notify' | '' | (string & {});
export type Action =
  | 'open'
  | 'log'
  | 'exec'
  | 'keep_alive'
  | 'suspend'
  | 'resume'
  | 'resize'
  | 'stop'
  | 'delete'
  | 'activity'
  | 'snapshot'
  | (string & {});
export type PreviewVerdict =
  'fits' | 'borrows' | 'reclaims' | 'waits' | 'forbidden' | (string & {});
export type MountState = 'cached' | 'fetching' | 'missing' | (string & {});
export type Verdict =
  'smaller' | 'larger' | 'fits' | 'early' | 'unmeasured' | (string & {});
export type RuleName =
  | 'idle_timeout'
  | 'idle_timeout_min'
  | 'idle_timeout_max'
  | 'gpu_idle_timeout'
  | 'gpu_idle_action'
  | 'warn_before'
  | 'action'
  | 'grace'
  | 'interactive_life'
  | 'train_life'
  | 'keep_alive'
  | 'keep_alives'
  | 'cpu_busy'
  | 'gpu_busy'
  | 'io_busy'
  | (string & {});
export type SignalName =
  | 'kernels'
  | 'terminals'
  | 'presence'
  | 'cpu'
  | 'io'
  | 'gpu'
  | 'process'
  | (string & {});
export type SignalState = 'busy' | 'idle' | 'unknown' | (string & {});
export type Trigger =
  'request' | 'schedule' | 'suspend' | 'finish' | 'code' | (string & {});
export type SnapshotState =
  'making' | 'ready' | 'partial' | 'failed' | (string & {});
export type Consistency = 'quiesced' | 'crash' | 'best-effort' | (string & {});
export type Mechanism = 'instant' | 'copy' | (string & {});
export type SnapshotAction =
  'see' | 'restore' | 'mark' | 'remove' | (string & {});
export type FileChange = 'added' | 'removed' | 'changed' | (string & {});
export type RestoreState =
  'fetching' | 'launching' | 'done' | 'failed' | (string & {});
export type TemplateScope = 'own' | 'admin' | (string & {});
export type OnShutdown = 'stop' | 'suspend' | (string & {});
export type TemplateAction = 'change' | 'delete' | (string & {});
export type FileKind = 'file' | 'folder' | 'link' | (string & {});
export type PreviewKind =
  'text' | 'table' | 'image' | 'binary' | 'none' | (string & {});
export type VolumeKind = 'folder' | 'claim' | (string & {});
export type AccessMode = 'RWO' | 'ROX' | 'RWX' | 'RWOP' | (string & {});
export type VolumeState =
  'ready' | 'pending' | 'lost' | 'removing' | (string & {});
export type VolumeAction = 'mount' | 'change' | 'delete' | (string & {});

/**
 * The controller that answers.
 *
 * `capabilities` names the optional parts of its backend: see `ports.backend.CAPABILITIES`.
 * `warnings` is for admins and for the account whose own controller it is, for example that a
 * damaged state file was moved aside. `source` is where GPUs come from: `nvml`, `simulated`,
 * `cluster` or `none`. `local_files` is true if sessions see the folders and Python prefixes of
 * the controller's machine, `outlives_controller` if they keep running without it. `containers` is
 * true if sessions are containers and have their options. `clusters` are their names where there
 * are several, the first one first: all else is about that one.
 */
export interface About {
  version: string;
  api: number;
  backend: string;
  user: string;
  source: string;
  simulated: boolean;
  local_files: boolean;
  outlives_controller: boolean;
  containers?: boolean;
  clusters?: string[];
  capabilities: string[];
  warnings: string[];
}
/**
 * One page of a list that may grow.
 *
 * `next` is the cursor of the following page, empty on the last one. `total` counts all items that
 * match the filter. `revision` changes with every change of the list. With `since`, a revision,
 * the items are only those that are new or different since then, and `gone` are the ids of those
 * that were in the list before.
 */
export interface PageAuditEntry {
  items: AuditEntry[];
  total: number;
  revision: string;
  next: string;
  since?: string;
  gone?: string[];
}
/**
 * Who changed what and when; `before` and `after` are JSON, empty for nothing.
 *
 * `sentence` is `what` with its key, where the catalog has it.
 */
export interface AuditEntry {
  id: string;
  at: string;
  who: string;
  what: string;
  sentence?: Message | null;
  before: string;
  after: string;
}
/**
 * One sentence in English, with its key in `model/messages` and its arguments.
 */
export interface Message {
  text: string;
  key: string;
  args: {
    [k: string]: string | number;
  };
}
/**
 * Request for a page of the audit log, newest first.
 */
export interface AuditQuery {
  limit?: number;
  cursor?: string;
}
/**
 * The cached versions that the caller may see, and the room of the cache.
 *
 * `folder` is the root of the cache, as processes on the controller's machine find it.
 */
export interface CacheList {
  items: CachedVersion[];
  room: CacheRoom;
  folder: string;
}
/**
 * One version in a cache.
 *
 * `size` is in bytes; while it is fetched, `done` of them are there. `used` is when a session last
 * used it, or when it was cached.
 */
export interface CachedVersion {
  dataset: string;
  version: string;
  state: CacheState;
  size: number;
  files: number;
  done: number;
  used: string;
  verified: string | null;
  leases: Lease[];
  pins: Pin[];
}
/**
 * One session that uses a cached version, by its id and its full name.
 */
export interface Lease {
  session: string;
  name: string;
  project: string;
  since: string;
}
/**
 * A wish to keep a cached version: whose, why, and until when; None is for ever.
 */
export interface Pin {
  user: string;
  why: string;
  until: string | null;
}
/**
 * How full a cache is, in bytes.
 *
 * `committed` counts what is being fetched whole; `evictable` is what neither a session nor a pin
 * keeps; `free` is what the file system has left.
 */
export interface CacheRoom {
  capacity: number;
  used: number;
  committed: number;
  evictable: number;
  free: number;
}
/**
 * Which cached versions to list: those of a dataset, or all.
 */
export interface CacheQuery {
  dataset?: string;
}
/**
 * What caching a version has come to: it is there, or the job that fetches it.
 */
export interface CacheAnswer {
  copy: CachedVersion | null;
  job: Job | null;
}
/**
 * One job.
 *
 * `version` is what it works on, or what it has made. `reason` says what a waiting job waits for.
 * `done` of `size` bytes and `files` of `all_files` are done; totals are 0 while they are unknown.
 * `moved` counts the bytes that travelled over the network. `rate` is in bytes a second, `left` in
 * seconds, None while it is not known. `folder`, `host` and `pid` are shown to the job's user and
 * to admins.
 */
export interface Job {
  id: string;
  kind: JobKind;
  dataset: string;
  version: string;
  folder: string;
  user: string;
  host: string;
  pid: number;
  state: JobState;
  cancelling: boolean;
  reason: string;
  started: string;
  updated: string;
  files: number;
  all_files: number;
  done: number;
  size: number;
  moved: number;
  rate: number;
  left: number | null;
  problem?: Problem | null;
  findings?: string[];
}
/**
 * The body of every error answer: what happened, which rule, what to do next.
 */
export interface Problem {
  code: string;
  message: string;
  hint: string;
  fields: FieldProblem[];
}
/**
 * What is wrong with one field of a request, with the key of the text if it has one.
 */
export interface FieldProblem {
  field: string;
  message: string;
  hint: string;
  key?: string;
  args?: {
    [k: string]: string | number;
  };
}
/**
 * The answer of an action without a result.
 */
export interface Nothing {}
/**
 * A pin to set: why, and until when (`2d`, a date or a time; empty: for ever).
 */
export interface PinRequest {
  why?: string;
  until?: string;
}
/**
 * The datasets that the caller may see, by name; `problems` are lakes that do not answer.
 */
export interface DatasetList {
  items: Dataset[];
  problems: string[];
}
/**
 * One dataset, as a caller sees it.
 *
 * `lake` is the name of a lake that an admin has set up, or the URL of a member's own; in that
 * case `own_lake` is true, and only processes with the member's credentials read its contents.
 * `latest` is None while there are no versions. `actions` are what the caller may do.
 */
export interface Dataset {
  name: string;
  lake: string;
  own_lake: boolean;
  project: string;
  owner: string;
  created: string;
  description: string;
  readers: string[];
  writers: string[];
  versions: number;
  cached: number;
  latest: Version | null;
  actions: DatasetAction[];
  problem: string;
}
/**
 * One version of a dataset.
 *
 * `files` and `size` (in bytes) count what it contains, `added` the bytes that its commit sent to
 * the lake. `source` names the session or snapshot that produced it, as `session:ID` or
 * `snapshot:ID`. `copy` is None where the version is not cached.
 */
export interface Version {
  dataset: string;
  id: string;
  parents: string[];
  message: string;
  author: string;
  time: string;
  files: number;
  size: number;
  added: number;
  tags: string[];
  source: string;
  copy: VersionCopy | null;
}
/**
 * The copy of a version near the GPUs: its state, and while it is fetched how much is there.
 *
 * `folder` is the read-only folder of a cached version, as this caller's processes find it.
 */
export interface VersionCopy {
  state: CacheState;
  done: number;
  size: number;
  folder: string;
}
/**
 * A dataset to create, without versions.
 *
 * `lake` is a lake's name, or the URL of the caller's own; empty for the default lake. `project`
 * is the first of the caller if it is empty.
 */
export interface DatasetRequest {
  name: string;
  lake?: string;
  project?: string;
  description?: string;
  readers?: string[];
  writers?: string[];
}
/**
 * What to change of a dataset; None keeps what is there.
 */
export interface DatasetChange {
  description?: string | null;
  project?: string | null;
  readers?: string[] | null;
  writers?: string[] | null;
}
/**
 * What sessions may be started from.
 */
export interface Environments {
  environments: Environment[];
}
/**
 * A Python prefix or an image.
 *
 * `python` is the prefix's interpreter. `problem` says why no Jupyter Server can run in it, empty
 * if one can.
 */
export interface Environment {
  id: string;
  label: string;
  prefix: string;
  python: string;
  image: string;
  default: boolean;
  problem: string;
}
/**
 * Where a session would run; without a `project`, in the first cluster.
 */
export interface EnvironmentQuery {
  project?: string;
}
/**
 * The node groups.
 */
export interface Groups {
  items: NodeGroup[];
  revision: string;
}
/**
 * Nodes under a name that projects and requests may refer to.
 *
 * With `separate` set, sessions that share compute and sessions that share memory alone are never
 * placed together on its nodes (ACK's rule).
 */
export interface NodeGroup {
  name: string;
  nodes: string[];
  separate: boolean;
}
/**
 * Request for all node groups; `revision` is that of the groups it is based on.
 */
export interface GroupsRequest {
  groups?: NodeGroupRequest[];
  revision?: string;
}
/**
 * A request for one node group; see `NodeGroup`.
 */
export interface NodeGroupRequest {
  name: string;
  nodes?: string[];
  separate?: boolean;
}
/**
 * Points, oldest first; a step without samples has none.
 *
 * `step` is the length of a point in seconds, `note` what readers need to know about the figures;
 * `notes` are its sentences. `users` covers the whole time and adds up to the total.
 */
export interface History {
  points: HistoryPoint[];
  users: UserHours[];
  by: StorageBy;
  step: number;
  since: string;
  until: string;
  simulated: boolean;
  note: string;
  notes?: string[];
}
/**
 * The usage of one project, or of one of its users, in the step that begins `at`.
 *
 * `allocated` (the sum of `in_quota` and `borrowed`) and `requested` (queued) are means in
 * milli-GPU over the sampled `seconds` of the step; `peak` is the most allocated at once,
 * `waiting` the most sessions queued at once. `utilisation` is the mean of the allocated devices
 * in per cent, over all of their processes; None where it was not measured. `user` is empty for
 * the project as a whole.
 */
export interface HistoryPoint {
  at: string;
  project: string;
  user: string;
  seconds: number;
  allocated: number;
  in_quota: number;
  borrowed: number;
  requested: number;
  peak: number;
  waiting: number;
  utilisation: number | null;
}
/**
 * The GPU hours of one user in a project, in thousandths.
 *
 * `borrowed` is the part of `allocated` above the quota, `waited` what was queued. `utilisation`
 * is the mean of the allocated devices in per cent; None where it was not measured. An empty
 * `user` has the rest of the project: users who are not shown or were not recorded.
 */
export interface UserHours {
  project: string;
  user: string;
  allocated: number;
  borrowed: number;
  waited: number;
  utilisation: number | null;
}
/**
 * Request for the usage of GPUs between `since` and `until`; an empty `project` means all.
 *
 * With `by` "user" a point is for one user of a project; `user` selects one. By default, `until`
 * is now and `since` is `hours` before it. `points` is the most points in time of the answer (2 to
 * 2000): the longer the time, the coarser they are.
 */
export interface HistoryQuery {
  project?: string;
  user?: string;
  by?: 'project' | 'user';
  since?: string | null;
  until?: string | null;
  hours?: number;
  points?: number;
}
/**
 * The jobs that the caller may see: active ones, and those that have ended, newest first.
 */
export interface JobList {
  items: Job[];
}
/**
 * Which jobs to list: those of a dataset, or only active ones.
 */
export interface JobQuery {
  dataset?: string;
  active?: boolean;
}
/**
 * The id of a job that has been started; it is listed once its process has reported.
 */
export interface JobStarted {
  id: string;
}
/**
 * A job to start on the machine of a Jupyter Server, which has the folder and the credentials.
 *
 * A relative `folder` starts at the server's root. `message` and `tag` are those of the version
 * that a sync makes.
 */
export interface JobRequest {
  kind: 'cache' | 'export' | 'sync';
  dataset: string;
  version?: string;
  folder?: string;
  message?: string;
  tag?: string;
}
/**
 * How far a job has come, as its process reports it.
 *
 * `begun` is when its process was started, in clock ticks after the boot of its machine, so that
 * another process with its pid is not taken for it. `findings` are the paths that a verification
 * has found damaged. A report in the state `waiting` asks for a turn: the answer is `running`
 * once the job may begin. `reason` says what else it waits for, such as a node of a cluster.
 * `frozen` says that a snapshot has a view of its session's folder, which may be written again.
 */
export interface JobReport {
  kind:
    | 'cache'
    | 'evict'
    | 'export'
    | 'gc'
    | 'import'
    | 'index'
    | 'register'
    | 'restore'
    | 'snapshot'
    | 'sync'
    | 'verify';
  dataset?: string;
  version?: string;
  folder?: string;
  host?: string;
  pid?: number;
  begun?: number;
  state: 'cancelled' | 'done' | 'failed' | 'lost' | 'running' | 'waiting';
  reason?: string;
  files?: number;
  all_files?: number;
  done?: number;
  size?: number;
  moved?: number;
  problem?: Problem | null;
  findings?: string[];
  frozen?: boolean;
}
/**
 * The lakes that the caller may use.
 */
export interface LakeList {
  items: Lake[];
}
/**
 * One lake that an admin has set up.
 *
 * `credentials` names where its credentials are: a file of `KEY=VALUE` lines, or a Secret of the
 * cluster. Members of `projects` may create datasets in it, of all projects if there are none.
 */
export interface Lake {
  name: string;
  url: string;
  credentials: string;
  projects: string[];
  default: boolean;
  problem: string;
}
/**
 * The lakes and the rules for cached versions, with the revision of both.
 *
 * Without lakes, a backend uses its own, if it has one.
 */
export interface DataSettings {
  lakes: Lake[];
  cache: CacheSettings;
  revision: string;
}
/**
 * How long cached versions stay that nothing uses, in seconds; 0: until the room is needed.
 *
 * `projects` and `datasets` have other times than `unused`, by name; a dataset's own comes first,
 * then that of its project. Above `high_water`, a share of the capacity, the least recently used
 * ones go earlier.
 */
export interface CacheSettings {
  unused: number;
  high_water: number;
  projects: {
    [k: string]: number;
  };
  datasets: {
    [k: string]: number;
  };
}
/**
 * The lakes and the rules for cached versions, which replace the present ones.
 *
 * `revision` is that of the settings that they were made from.
 */
export interface DataSettingsRequest {
  lakes?: LakeRequest[];
  cache?: CacheRulesRequest;
  revision?: string;
}
/**
 * A lake: its name, the URL of a bucket or folder, where its credentials are, who may use it.
 *
 * `credentials` is the path of a file with lines `KEY=VALUE`, or the name of a Secret; empty for
 * those of the controller's environment. `projects` may create datasets in it, all if it is empty.
 */
export interface LakeRequest {
  name: string;
  url: string;
  credentials?: string;
  projects?: string[];
  default?: boolean;
}
/**
 * How long unused cached versions stay (`1d`; `0`: until the room is needed), as typed.
 *
 * `projects` and `datasets` are exceptions by name. `high_water` is a share of the capacity.
 */
export interface CacheRulesRequest {
  unused?: string | number;
  high_water?: number;
  projects?: {
    [k: string]: string | number;
  };
  datasets?: {
    [k: string]: string | number;
  };
}
/**
 * How long unused cached versions stay (`1d`; `0`: until the room is needed), as typed.
 *
 * `projects` and `datasets` are exceptions by name. `high_water` is a share of the capacity.
 */
export interface CacheRulesRequest1 {
  unused?: string | number;
  high_water?: number;
  projects?: {
    [k: string]: string | number;
  };
  datasets?: {
    [k: string]: string | number;
  };
}
/**
 * What a change of these settings would do now, in sentences.
 *
 * `evicted` are the cached versions that would go, as `NAME@ID`, of `freed` bytes in all;
 * `orphaned` are datasets whose lake would no longer be set.
 */
export interface DataChangePreview {
  message: string;
  sentences: Message[];
  evicted: string[];
  freed: number;
  orphaned: string[];
}
/**
 * Which objects to remove from a lake: those that no version needs and are old enough.
 *
 * `grace` is in seconds.
 */
export interface CollectRequest {
  grace?: number;
}
/**
 * The lineage of a dataset, or of one of its versions.
 */
export interface Lineage {
  dataset: string;
  nodes: Origin[];
  links: Link[];
}
/**
 * One node of a lineage: a version, a session, a snapshot or a commit of a code repository.
 *
 * `id` is unique in the lineage; `label` is what is drawn.
 */
export interface Origin {
  id: string;
  kind: OriginKind;
  label: string;
  detail: string;
  time: string | null;
}
/**
 * One edge of a lineage: `source` has produced, is used by, or is followed by `target`.
 */
export interface Link {
  source: string;
  target: string;
  relation: Relation;
}
/**
 * The version whose lineage is wanted, as a reference; empty for all versions.
 */
export interface LineageQuery {
  version?: string;
}
/**
 * List the nodes; `source` says where the inventory comes from.
 */
export interface Nodes {
  nodes: NodeUse[];
  source: string;
  revision: string;
}
/**
 * The usage of a node. `problem` says why nothing new starts on it, empty if something can.
 *
 * `note` says what else is worth knowing of it, such as that not all of its GPUs are offered.
 */
export interface NodeUse {
  name: string;
  simulated: boolean;
  devices: DeviceUse[];
  problem?: string;
  note?: string;
}
/**
 * The usage of a device. `free` in milli-GPU; measurements are None if unknown.
 *
 * `utilisation` in per cent and `memory_used` in MiB are the driver's, for all processes;
 * `temperature` is in °C, `programs` is what uses it, in sessions and outside. Of GPUs that the
 * engine does not tell apart these are the mean, the sum and the highest; `gpus` has each of them.
 */
export interface DeviceUse {
  device: Device;
  slices: SliceUse[];
  free: number;
  utilisation: number | null;
  memory_used: number | null;
  temperature?: number | null;
  programs?: GpuProgram[];
  gpus?: Reading[];
}
/**
 * One GPU. `memory` in MiB. `lost` when the driver no longer responds for it.
 *
 * `problem` says why nothing can run on it, empty if something can.
 *
 * `index` is its number in the node, None where the engine does not report it; our own scheduler
 * uses only devices that have one. With neither index nor `uuid` it stands for `count` equal GPUs
 * of a node, which the engine does not tell apart.
 */
export interface Device {
  index: number | null;
  uuid: string;
  model: string;
  memory: number;
  simulated: boolean;
  mps: boolean;
  mig: MigInstance[];
  lost: boolean;
  count?: number;
  problem?: string;
}
/**
 * One MIG instance of a device. `memory` in MiB, `slices` of the device's seven.
 */
export interface MigInstance {
  uuid: string;
  profile: string;
  memory: number;
  slices: number;
}
/**
 * A part of a device in use; an empty `session` is a workload that is not a session.
 *
 * `milli` and `memory` (MiB) are its share, `used` (MiB) what was measured, None where the driver
 * does not report it; `over` is true while it uses more memory than its share.
 */
export interface SliceUse {
  session: string;
  name: string;
  project: string;
  owner: string;
  milli: number;
  memory: number;
  compute: number;
  mig: string;
  used: number | null;
  over: boolean;
}
/**
 * A program on a GPU: a process of a machine, a pod of a cluster.
 *
 * `session` is the id of its session, empty for a program outside sessions. `name` is that of the
 * command or pod, empty if it is not shown. `owner` is its account, empty if unknown. `memory` is
 * what it holds on this GPU in MiB, None where the driver does not report it.
 */
export interface GpuProgram {
  session: string;
  name: string;
  owner: string;
  pid: number | null;
  memory: number | null;
}
/**
 * The newest measurement of one device; None where the driver does not report it.
 *
 * `utilisation` in per cent and `memory_used` in MiB, over all processes; `temperature` in °C.
 * The rest is set where the engine does not tell the GPUs of a node apart: on which `node` it is,
 * its `name` there, its `memory` in MiB (0 if unknown), and whether it is split by MIG.
 */
export interface Reading {
  utilisation: number | null;
  memory_used: number | null;
  temperature: number | null;
  programs: GpuProgram[];
  node: string;
  name: string;
  memory: number;
  mig: boolean;
}
/**
 * The GPUs that are measured, where there are many those that the caller's sessions use.
 *
 * There are none where GPUs are simulated. `total` counts all.
 */
export interface GpuList {
  items: GpuUse[];
  total: number;
  revision: string;
}
/**
 * A GPU as it was measured last; measurements are None where they are unknown.
 *
 * `name` is its number on its node, or the beginning of its UUID. `memory` and `memory_used` are
 * in MiB, `utilisation` in per cent, `temperature` in °C. `sessions` are the ids of those that
 * have a share of it, as far as the caller sees them; `mine` is whether one is the caller's.
 */
export interface GpuUse {
  node: string;
  name: string;
  model: string;
  memory: number;
  utilisation: number | null;
  memory_used: number | null;
  temperature: number | null;
  programs: GpuProgram[];
  sessions: string[];
  mine: boolean;
}
/**
 * The utilisation of those sessions of which it is measured: none on simulated GPUs.
 *
 * `interval` is the time between two checks, in seconds.
 */
export interface UtilisationList {
  items: SessionUtilisation[];
  interval: number;
  revision: string;
}
/**
 * The GPU utilisation of a session, in per cent, at the last checks; the newest is last.
 */
export interface SessionUtilisation {
  session: string;
  percents: number[];
}
/**
 * All levels and exemptions, and the `built_in` rules below them.
 *
 * `revision` changes with every change.
 */
export interface Policy {
  levels: PolicyLevel[];
  exemptions: Exemption[];
  built_in: PolicyRules;
  revision: string;
}
/**
 * One level: `everyone`, `project:NAME` or `kind:KIND`, weakest first.
 */
export interface PolicyLevel {
  level: string;
  rules: PolicyRules;
}
/**
 * The rules of one level; None leaves a rule to the weaker levels.
 *
 * Times are seconds. After `idle_timeout` (0: never) without any activity the `action` is taken,
 * `warn_before` seconds after a warning; a session may request a timeout between
 * `idle_timeout_min` and `idle_timeout_max`. `gpu_idle_timeout` (0: never) and `gpu_idle_action`
 * are for a session that is active but does not use its GPU. `grace` is the time to save and exit.
 * `interactive_life` and `train_life` are maximum run times (0: none). A user may extend a session
 * by `keep_alive` seconds, at most `keep_alives` times between uses. Up to `cpu_busy` per cent of
 * one core, `gpu_busy` per cent of its GPUs, and `io_busy` bytes per second to and from disks and
 * the network, a session counts as idle.
 */
export interface PolicyRules {
  idle_timeout: number | null;
  idle_timeout_min: number | null;
  idle_timeout_max: number | null;
  gpu_idle_timeout: number | null;
  gpu_idle_action: IdleAction | null;
  warn_before: number | null;
  action: IdleAction | null;
  grace: number | null;
  interactive_life: number | null;
  train_life: number | null;
  keep_alive: number | null;
  keep_alives: number | null;
  cpu_busy: number | null;
  gpu_busy: number | null;
  io_busy: number | null;
}
/**
 * Sessions that are not ended until a time, with a reason.
 *
 * `who` is `session:ID`, `user:NAME` or `project:NAME`.
 */
export interface Exemption {
  who: string;
  until: string;
  reason: string;
}
/**
 * Request for the whole policy; `revision` is that of the policy it is based on.
 */
export interface PolicyRequest {
  levels?: PolicyLevelRequest[];
  exemptions?: ExemptionRequest[];
  revision?: string;
}
/**
 * Request for a level: `everyone`, `project:NAME` or `kind:KIND`.
 */
export interface PolicyLevelRequest {
  level: string;
  rules?: PolicyRulesRequest;
}
/**
 * Request for the rules of a level, as an administrator types them: see `PolicyRules`.
 *
 * Durations are seconds or `30m`, `8 hours`; None leaves a rule to the weaker levels.
 */
export interface PolicyRulesRequest {
  idle_timeout?: string | number | null;
  idle_timeout_min?: string | number | null;
  idle_timeout_max?: string | number | null;
  gpu_idle_timeout?: string | number | null;
  gpu_idle_action?: string | null;
  warn_before?: string | number | null;
  action?: string | null;
  grace?: string | number | null;
  interactive_life?: string | number | null;
  train_life?: string | number | null;
  keep_alive?: string | number | null;
  keep_alives?: string | number | null;
  cpu_busy?: string | number | null;
  gpu_busy?: string | number | null;
  io_busy?: string | number | null;
}
/**
 * Request for an exemption; `until` is a time with its zone (ISO 8601), or a duration: `3d`.
 *
 * `who` is `user:NAME`, `project:NAME` or `session:` with the session's name, `project/name` or
 * id; the id is stored. It replaces an existing exemption.
 */
export interface ExemptionRequest {
  who: string;
  until: string;
  reason: string;
}
/**
 * Request for the rules of a level, as an administrator types them: see `PolicyRules`.
 *
 * Durations are seconds or `30m`, `8 hours`; None leaves a rule to the weaker levels.
 */
export interface PolicyRulesRequest1 {
  idle_timeout?: string | number | null;
  idle_timeout_min?: string | number | null;
  idle_timeout_max?: string | number | null;
  gpu_idle_timeout?: string | number | null;
  gpu_idle_action?: string | null;
  warn_before?: string | number | null;
  action?: string | null;
  grace?: string | number | null;
  interactive_life?: string | number | null;
  train_life?: string | number | null;
  keep_alive?: string | number | null;
  keep_alives?: string | number | null;
  cpu_busy?: string | number | null;
  gpu_busy?: string | number | null;
  io_busy?: string | number | null;
}
/**
 * The projects.
 *
 * `source` is who sets them: `config`, until an administrator changes something; then `store`; or
 * the quota `file`, whose path is in `file` and which is the only place to change them; or the
 * cluster's `engine`. `warnings` are settings that an administrator may not have intended.
 * `revision` changes with every change of what is set, held or queued.
 */
export interface Projects {
  items: Project[];
  source: SetBy;
  revision: string;
  file: string;
  warnings: string[];
}
/**
 * One team.
 *
 * Amounts are milli-GPU: `quota` is guaranteed, `limit` is the most it may use (None: no limit).
 * `weight` is its share of spare GPUs (None: as its quota; 0: it never borrows), `priority` its
 * order in borrowing. `members` may launch in it and see its sessions; empty means everyone.
 * `viewers` see them and do not launch. `leads` see their details, and may stop, suspend and keep
 * them alive. All three are accounts, or groups of accounts as `group:NAME`.
 * `interactive_duration` (seconds, 0: none) is the maximum run time of interactive sessions,
 * `min_runtime` (seconds) how long its sessions are protected from reclaims. A `draining` project
 * starts no sessions and is deleted when the last one has ended. `preemptible` are the kinds of
 * sessions that may be preempted, as the engine has it. `revision` changes with every change of
 * it. `people_shown` is False where the caller may not see its people: all three lists
 * are then empty. `department` is the one that it is directly in, named in lists of projects where
 * the engine has any.
 */
export interface Project {
  name: string;
  quota: number;
  weight: number | null;
  limit: number | null;
  priority: number;
  members: string[];
  leads: string[];
  viewers: string[];
  node_affinity: Affinity;
  interactive_duration: number;
  min_runtime: number;
  draining: boolean;
  preemptible?: Kind[];
  revision: string;
  people_shown: boolean;
  department?: string;
}
/**
 * The node groups that a project's sessions may use; empty means any.
 *
 * `interactive` is for both interactive kinds.
 */
export interface Affinity {
  interactive: string[];
  train: string[];
}
/**
 * A project after a change, None if it was deleted.
 *
 * `sessions` names those that it is drained of; `warnings` are as in `Projects`.
 */
export interface ProjectAnswer {
  project: Project | null;
  sessions: string[];
  warnings: string[];
}
/**
 * Request for a project, as an administrator types it; see `core.projects.check`.
 *
 * `quota`, `weight` and `limit` are numbers of GPUs (`4`, `2.5`); the default weight is the quota,
 * the default limit none. Durations are seconds or `8h`, `90m`, `1h30m`; 0 is none. `revision` is
 * that of the project it is based on, empty for a new one: an outdated one is refused.
 */
export interface ProjectRequest {
  quota: string | number;
  name?: string;
  weight?: string | number | null;
  limit?: string | number | null;
  priority?: number;
  members?: string[];
  leads?: string[];
  viewers?: string[];
  node_affinity?: AffinityRequest;
  interactive_duration?: string | number;
  min_runtime?: string | number;
  revision?: string;
}
/**
 * Request for the node groups that a project may use; empty means any.
 */
export interface AffinityRequest {
  interactive?: string[];
  train?: string[];
}
/**
 * Request for the node groups that a project may use; empty means any.
 */
export interface AffinityRequest1 {
  interactive?: string[];
  train?: string[];
}
/**
 * What a change of a project would do to the present state; `message` sums up.
 *
 * `sentences` are those of `message`, with their keys.
 */
export interface ChangePreview {
  message: string;
  sentences?: Message[];
  projects: ProjectEffect[];
  sessions: SessionEffect[];
  warnings: string[];
}
/**
 * The effect of a change on one project, in milli-GPU.
 */
export interface ProjectEffect {
  name: string;
  quota_before: number;
  quota: number;
  fair_before: number;
  fair: number;
  allocated_before: number;
  allocated: number;
}
/**
 * The effect of a change on one session; `sentences` are those of `message`.
 */
export interface SessionEffect {
  session: string;
  name: string;
  project: string;
  effect: Effect;
  message: string;
  sentences?: Message[];
}
/**
 * Request to delete a project.
 *
 * With `drain` it starts no sessions and is deleted when the last of its sessions has ended.
 * `revision` is that of the project it is based on, empty for any.
 */
export interface ProjectRemoval {
  drain?: boolean;
  revision?: string;
}
/**
 * How the machine or cluster is shared.
 *
 * `capacity`, `allocated`, `others` (held by workloads that are not sessions) and `free` are
 * milli-GPU. `mine` are the projects that the caller may launch in, `default` the one that is used
 * when a request names none. `admin` is true if the caller may change projects. `departments` are
 * those that the engine has, by name.
 */
export interface Quota {
  projects: ProjectUse[];
  capacity: number;
  allocated: number;
  free: number;
  others: number;
  simulated: boolean;
  mine: string[];
  default: string;
  revision: string;
  admin: boolean;
  departments?: Department[];
}
/**
 * What a project may use, holds and has queued.
 *
 * `quota`, `allocated`, `kept`, `over`, `requested` and `fair` are milli-GPU: guaranteed, held,
 * held by sessions that cannot be preempted, held above the quota, held plus queued, and its fair
 * share of the whole. `limit`, `weight` and `priority`
 * and `preemptible` are the project's own (see `Project`). `running` and `waiting` count sessions.
 */
export interface ProjectUse {
  name: string;
  quota: number;
  allocated: number;
  over: number;
  requested: number;
  fair: number;
  weight: number;
  limit: number | null;
  priority: number;
  running: number;
  waiting: number;
  users: UserUse[];
  preemptible?: Kind[];
  kept?: number;
}
/**
 * What one user holds of a project, in milli-GPU, and has queued.
 */
export interface UserUse {
  user: string;
  allocated: number;
  waiting: number;
}
/**
 * Several projects with a quota of their own above theirs, where a cluster's engine has that.
 *
 * These are the queues above those of projects with KAI Scheduler, and Cohorts with Kueue.
 * `parent` is the department that it belongs to, empty for none, `projects` those directly in it.
 * Amounts are milli-GPU: `quota` is guaranteed (None: no bounds), `limit` the most that its
 * projects may use together (None: no limit), `allocated` what they hold, those of departments
 * below it included.
 */
export interface Department {
  name: string;
  parent: string;
  projects: string[];
  quota: number | null;
  limit: number | null;
  allocated: number;
}
/**
 * The storage of the projects in which the caller has a role, by project, kind and owner.
 *
 * `problems` are lakes that do not answer, and what else is not known now.
 */
export interface StorageList {
  items: StorageUse[];
  problems: string[];
}
/**
 * What one kind of data of a project takes, in bytes.
 *
 * `size` is that of all items, each for itself; of volumes, what was requested. `stored` is what
 * they take: contents that several have in common count once. `unknown` counts items of which that
 * is not known. `owner` is empty where all users are added up, and for what admins have set up.
 */
export interface StorageUse {
  project: string;
  kind: StorageKind;
  owner: string;
  items: number;
  size: number;
  stored: number;
  unknown: number;
}
/**
 * The project, empty for all; with `by` "user" each owner has rows.
 *
 * Leads and admins see those of all owners, others their own.
 */
export interface StorageQuery {
  project?: string;
  by?: 'project' | 'user';
}
/**
 * The rules for all projects.
 *
 * `grace` and `min_runtime` are seconds: the time that a reclaimed session has to exit, and how
 * long every session is protected from reclaims. With `consolidate`, preemptible sessions are
 * moved where only fragments of GPUs are free. `revision` changes with every change.
 */
export interface Rules {
  grace: number;
  min_runtime: number;
  consolidate: boolean;
  revision: string;
}
/**
 * Request for all rules; `revision` is that of the rules it is based on.
 *
 * Durations are seconds or `8h`, `90m`.
 */
export interface RulesRequest {
  grace?: string | number;
  min_runtime?: string | number;
  consolidate?: boolean;
  revision?: string;
}
/**
 * One page of a list that may grow.
 *
 * `next` is the cursor of the following page, empty on the last one. `total` counts all items that
 * match the filter. `revision` changes with every change of the list. With `since`, a revision,
 * the items are only those that are new or different since then, and `gone` are the ids of those
 * that were in the list before.
 */
export interface PageSession {
  items: Session[];
  total: number;
  revision: string;
  next: string;
  since?: string;
  gone?: string[];
}
/**
 * One session, as everyone may see it: no token, no port, no process id.
 *
 * `run` counts its launches. `path` is where the ingress shows it, below a JupyterLab's base URL.
 * `since` is when the present state began. `queue_position` is that in its project's queue,
 * from 1; 0 while it is not queued. `expected` is when a queued one should start, where run times
 * tell it. `ends` is the end of its maximum run time, set by the level `ends_by` of the policy.
 * `idle` is None while it is used, or was a minute ago. `unmeasured` is why it cannot be found to
 * be idle, though nothing shows that it is used; empty if it can. `actions` are what the caller
 * may do to it now; `activity` is to see its signals and policy. `ending` is the state of open
 * documents once it stops. For a snapshot, its pages save them by `saving`, and report as if it
 * ended. `fallback` is the list of places of one that was launched with several. `listening` are
 * the ports at which its programs accept connections of all accounts of its machine, of a session
 * that was asked for by itself and runs on the controller's.
 */
export interface Session {
  id: string;
  spec: SessionSpec;
  owner: string;
  state: State;
  since: string;
  created: string;
  path: string;
  revision: string;
  run: number;
  goal: Goal;
  reason: Reason | null;
  placement: Placement | null;
  isolation: Isolation | null;
  started: string | null;
  ended: string | null;
  progress: Progress[];
  exit: Exit | null;
  usage: Usage | null;
  queue_position: number;
  expected?: string | null;
  reclaimed: Reclaim | null;
  ends: string | null;
  ends_by: string;
  ending: Ending | null;
  idle: Idleness | null;
  unmeasured?: string;
  kept: KeptAlive | null;
  actions: Action[];
  saving: string | null;
  fallback?: Fallback | null;
  listening?: number[];
}
/**
 * A checked request: every value can be used as it is.
 *
 * `environment` is a Python prefix, empty where there is an `image`; it and `folder` are absolute
 * paths. `idle_timeout` is in seconds (0: never). `pod` is None without options of a container.
 * `data` are versions of datasets, `mounts` its volumes; `share` is that of a process.
 */
export interface SessionSpec {
  name: string;
  project: string;
  kind: Kind;
  share: Share;
  environment: string;
  image: string;
  folder: string;
  command: string[];
  args: string[];
  env: {
    [k: string]: string;
  };
  ports: number[];
  priority: number;
  node_type: string;
  base_url: string;
  idle_timeout: number | null;
  stop_when_idle?: boolean;
  processes?: number;
  framework?: Framework;
  pod?: PodOptions | null;
  data?: DataMount[];
  volumes?: Mount[];
}
/**
 * What a session requests of GPUs.
 *
 * Exactly one form is used: nothing (CPU only); `milli` (a fraction below 1000, whole devices, or
 * equal parts of several devices); `memory` (MiB on one device); or `mig` (a profile such as
 * `1g.10gb`). `compute` (5 to 100 %, steps of 5) may go with a fraction or with memory; 0 means
 * not limited.
 */
export interface Share {
  milli: number;
  memory: number;
  compute: number;
  mig: string;
}
/**
 * Checked options of a container; 0, empty and None stand for the cluster's defaults.
 *
 * CPUs are millicores, memory MiB. `large_shm` is a /dev/shm of more than 64 MiB. `secret_env`
 * sets environment variables from Secrets. `mounts` are the volumes of sessions that an earlier
 * version launched.
 */
export interface PodOptions {
  cpu: number;
  cpu_limit: number;
  memory: number;
  memory_limit: number;
  large_shm: boolean;
  tolerations: Toleration[];
  pull_secrets: string[];
  pull_policy: string;
  service_account: string;
  run_as_user: number | null;
  run_as_group: number | null;
  secret_env: {
    [k: string]: SecretKey;
  };
  mounts: ClaimMount[];
}
/**
 * A taint of nodes that a session tolerates.
 *
 * Without a `value` any value of the key is tolerated, without an `effect` any effect.
 */
export interface Toleration {
  key: string;
  value: string;
  effect: string;
}
/**
 * One value in a Secret.
 */
export interface SecretKey {
  secret: string;
  key: string;
}
/**
 * A claim, or a folder of the node, at a path: how earlier versions stored a mount.
 */
export interface ClaimMount {
  claim: string;
  host_path: string;
  path: string;
  read_only: boolean;
}
/**
 * One version of a dataset in a session.
 *
 * `ref` is the reference as it was requested, `version` the id that it named then. Each dataset is
 * found by its name in the folder `GPUQUOTA_DATASETS`; with a `path`, such as `/data/train`, there
 * too: below the session's folder where the session has no file system of its own.
 */
export interface DataMount {
  dataset: string;
  version: string;
  ref: string;
  path: string;
}
/**
 * A volume of the session's project, or a folder of the node, at a path; one of the two is set.
 *
 * Where sessions are processes, `path` is below the session's folder. `volume` is found by its
 * name in `GPUQUOTA_VOLUMES` too. With a `size` in bytes the volume was made for the session, of
 * this `storage_class`.
 */
export interface Mount {
  volume: string;
  host_path: string;
  path: string;
  read_only: boolean;
  storage_class: string;
  size: number;
}
/**
 * Why, in plain words; `raw` keeps those of an engine or a log.
 *
 * `code` is stable; `message` is for users, `hint` says what would help. `key` names their
 * templates in `model/messages`, empty where they have none, and `args` fills those. `more` has
 * the sentences of `message` that come after its template.
 */
export interface Reason {
  code: ReasonCode;
  message: string;
  hint: string;
  raw: string;
  key?: string;
  args?: {
    [k: string]: string | number;
  };
  more?: Message[];
}
/**
 * Where a session runs.
 */
export interface Placement {
  node: string;
  slices: Slice[];
  simulated: boolean;
}
/**
 * The part of one device that one session holds.
 *
 * `milli` is its cost in quota; `memory` (MiB) and `compute` (%) are its limits. `uuid` is that of
 * the device, or of the MIG instance where `mig` is set, empty where the engine does not report
 * it; `index` is the device's.
 */
export interface Slice {
  index: number | null;
  uuid: string;
  milli: number;
  memory: number;
  compute: number;
  mig: string;
}
/**
 * What isolates the share, and how that can be bypassed.
 *
 * `scope` is the unit that each limit applies to; empty where nothing is limited.
 */
export interface Isolation {
  memory: Strength;
  compute: Strength;
  scope: Scope;
  bypass: string[];
  note: string;
}
/**
 * One step on the way to running; `key` and `args` are those of the message, as in a reason.
 */
export interface Progress {
  at: string;
  message: string;
  key?: string;
  args?: {
    [k: string]: string | number;
  };
}
/**
 * How a session's process ended.
 *
 * `code` is None if it is unknown; `signal` is what ended it. `last_lines` are those of the log.
 */
export interface Exit {
  code: number | null;
  at: string;
  signal: string;
  last_lines: string[];
}
/**
 * The measured usage of a session.
 *
 * `memory` is GPU memory in MiB, None where the driver does not report it; `over`: it exceeds the
 * session's share. `peak` is the most that this run has used; both remain when it has ended.
 */
export interface Usage {
  at: string;
  memory: number | null;
  over: boolean;
  peak: number | null;
  since: string | null;
}
/**
 * For which session GPUs were last reclaimed, and when.
 *
 * `session` is the id of the one that needed them, `name` and `project` its own, `run` its last
 * launch at that time: once it was launched again, it has what was reclaimed for it. `moved` is
 * true if the reclaimed session only made room and continues on other GPUs.
 */
export interface Reclaim {
  at: string;
  session: string;
  name: string;
  project: string;
  run?: number;
  moved: boolean;
}
/**
 * The state of a session's open documents before its processes are signalled.
 *
 * They are signalled at `by` at the latest, and were at `signalled`. Until then the session's
 * pages are served, so that they can save. `saved` is `asked` until all pages have answered, then
 * `saved` or `unsaved`, with the number of documents that could not be saved. It is `unknown` if
 * the session was in use and a page did not answer, `closed` if no page was open. `last_save` is
 * the last observed save of a document.
 */
export interface Ending {
  by: string;
  signalled: string | null;
  saved: Saved;
  unsaved: number;
  last_save: string | null;
}
/**
 * An idle session, and what will happen to it.
 *
 * `since` is when any signal was last busy; for `gpu_idle_timeout`, the GPU's. `action` is taken
 * at `acts`, by the `rule` and the `level` that decided it; None and empty where nothing will
 * happen, because no level requires it or the session is `exempt` until a time. `warned` is when
 * the owner was warned; where the action is `notify`, that was the notice.
 */
export interface Idleness {
  since: string;
  rule: IdleRule;
  level: string;
  action: NextAction;
  acts: string | null;
  warned: string | null;
  exempt: string | null;
}
/**
 * Until when a user keeps a session alive, and how often since it was last used.
 */
export interface KeptAlive {
  until: string;
  times: number;
}
/**
 * The list of a session, and how far it is.
 *
 * `current` is the number of the present place, from 0, where it has been `since` then; at
 * `until` the place `next` is tried. Without `until` it waits for the cluster of that place to be
 * reached; both are None if it stays. While it is `moving` it is in neither.
 */
export interface Fallback {
  places: FallbackPlace[];
  current: number;
  since: string;
  until: string | null;
  next: number | null;
  moving: boolean;
}
/**
 * One entry of a list: a cluster, or a template, by its `name`.
 *
 * `cluster`, `project` and `share` are what it comes to. `refused` is why the cluster has not
 * taken the session when its turn came; empty if it has, or was not asked yet.
 */
export interface FallbackPlace {
  name: string;
  cluster: string;
  project: string;
  share: Share;
  refused: string;
}
/**
 * Filters and page of the list of sessions; empty means any.
 *
 * `state` may hold several, separated by commas. `cursor` is a page's `next`.
 */
export interface SessionQuery {
  project?: string;
  state?: string;
  name?: string;
  owner?: string;
  limit?: number;
  cursor?: string;
}
/**
 * A requested session; checked by `core.requests.specs.check`.
 *
 * `on` are clusters and templates in the order in which they are tried, `on_wait` (`10m`; empty:
 * as admins have set it) how long each but the last is waited for. The fields of a template
 * replace those of the request there.
 */
export interface SessionRequest {
  cpu?: string | number;
  cpu_limit?: string | number;
  memory?: string | number;
  memory_limit?: string | number;
  large_shm?: boolean;
  tolerations?: string[];
  pull_secrets?: string[];
  pull_policy?: string;
  service_account?: string;
  run_as?: string | number;
  secret_env?: {
    [k: string]: string;
  };
  project?: string;
  kind?: 'interactive' | 'interactive-spot' | 'train';
  gpu?: string | number;
  gpu_memory?: string | number;
  gpu_compute?: string | number;
  mig_profile?: string;
  environment?: string;
  folder?: string;
  command?: string[];
  args?: string[];
  env?: {
    [k: string]: string;
  };
  ports?: number[];
  priority?: number;
  node_type?: string;
  base_url?: string;
  idle_timeout?: string | number;
  stop_when_idle?: boolean;
  processes?: number;
  framework?: 'mpi' | 'torch';
  data?: string[];
  volumes?: string[];
  name: string;
  on?: string[];
  on_wait?: string | number;
}
/**
 * What would happen to a request, before it is made.
 *
 * `verdict` is `fits` (in quota, with the placement), `borrows` (starts, and can be reclaimed),
 * `reclaims` (starts once others have released GPUs), `waits` (with the reason, the position in
 * its project's queue and, if they exist, the nearest share that would start now and when enough
 * is `expected` to be free, because the run time of others is over) or `forbidden` (with the rule,
 * or with the invalid fields in `problems`). `nearest_kind` is another kind of session that would
 * start now with the requested share. `sentences` are those of `message`, with their keys.
 * `preempts` are the ids of the sessions that would lose their GPUs, as far as the caller sees
 * them. `data` says which versions of datasets are cached already, and which are fetched first.
 * `places` are those of a request with several, the first of which the rest is about.
 */
export interface Preview {
  verdict: PreviewVerdict;
  message: string;
  sentences?: Message[];
  reason: Reason | null;
  placement: Placement | null;
  isolation: Isolation | null;
  queue_position: number;
  nearest: Share | null;
  nearest_kind?: Kind | null;
  expected: string | null;
  problems: FieldProblem[];
  data?: MountPreview[];
  preempts?: string[];
  places?: PlacePreview[];
}
/**
 * Whether a version that a session would use is cached.
 *
 * `size` is in bytes, `done` of them are there. A version that is not cached is fetched first,
 * which takes about `left` seconds, None if that is not known. `problem` says why it cannot be
 * fetched now, empty if it can.
 */
export interface MountPreview {
  mount: DataMount;
  state: MountState;
  size: number;
  done: number;
  left: number | null;
  problem: string;
}
/**
 * What would happen to a request at one place of its list now.
 */
export interface PlacePreview {
  name: string;
  cluster: string;
  project: string;
  verdict: string;
  message: string;
}
/**
 * The request of a template or a session, as it is shown: readers ignore unknown fields.
 */
export interface TemplateFields {
  cpu: string | number;
  cpu_limit: string | number;
  memory: string | number;
  memory_limit: string | number;
  large_shm: boolean;
  tolerations: string[];
  pull_secrets: string[];
  pull_policy: string;
  service_account: string;
  run_as: string | number;
  secret_env: {
    [k: string]: string;
  };
  project: string;
  kind: Kind;
  gpu: string | number;
  gpu_memory: string | number;
  gpu_compute: string | number;
  mig_profile: string;
  environment: string;
  folder: string;
  command: string[];
  args: string[];
  env: {
    [k: string]: string;
  };
  ports: number[];
  priority: number;
  node_type: string;
  base_url: string;
  idle_timeout: string | number;
  stop_when_idle?: boolean;
  processes?: number;
  framework?: 'mpi' | 'torch';
  data: string[];
  volumes: string[];
}
/**
 * Whether another share would suit a session, by the GPU memory that it has used.
 *
 * `verdict` is `smaller` or `larger` (`share` would do), `fits`, `early` (not measured for long
 * enough) or `unmeasured`. `peak` and `memory` (of its share) are MiB, `peak` None where it was
 * not measured; `seconds` is how long it was measured.
 */
export interface Advice {
  verdict: Verdict;
  message: string;
  peak: number | null;
  memory: number;
  seconds: number;
  share: Share | null;
}
/**
 * Request to stop or suspend a session; the owner sees the `reason` and who gave it.
 */
export interface EndRequest {
  reason?: string;
}
/**
 * Request to resume a session, in the JupyterLab at `base_url`; empty: where it was.
 */
export interface ResumeRequest {
  base_url?: string;
}
/**
 * Request to restart a session with another share, in the words of `SessionRequest`.
 *
 * `volumes` are existing ones that are mounted besides those that it has, as `NAME:/path[:ro]`.
 * With these alone, the share stays. `keep` names variables that the next kernel of `notebook`
 * gets, or of the only one that has a kernel; unless all of them can be kept, the session is not
 * restarted.
 */
export interface ResizeRequest {
  gpu?: string | number;
  gpu_memory?: string | number;
  gpu_compute?: string | number;
  mig_profile?: string;
  volumes?: string[];
  keep?: string[];
  notebook?: string;
}
/**
 * A part of a session's log; its cursors are opaque and survive rotation.
 *
 * `cursor` continues after it, `earlier` leads to what precedes `text`, empty where nothing is
 * left. `missed`: lines right before `text` are lost. `ended` is true once no more will follow.
 */
export interface LogChunk {
  text: string;
  cursor: string;
  earlier: string;
  missed: boolean;
  ended: boolean;
}
/**
 * The requested part of the log of a session or `process`, at most `limit` bytes.
 *
 * It precedes `before`, a chunk's `earlier`, has `tail` lines, or follows a chunk's `cursor`.
 */
export interface LogQuery {
  cursor?: string;
  before?: string;
  tail?: number;
  limit?: number;
  process?: number;
}
/**
 * What a program run inside a session printed (both streams) and its exit code.
 */
export interface ExecResult {
  exit_code: number;
  output: string;
  truncated: boolean;
  timed_out: boolean;
}
/**
 * A program to run inside a session's environment and share; no shell is involved.
 *
 * `timeout` in seconds, 1 to 3600.
 */
export interface ExecRequest {
  command: string[];
  timeout?: number;
}
/**
 * A part of a program's output while it runs, or its end.
 *
 * The last one has the `result`, without the earlier output.
 */
export interface ExecEvent {
  output: string;
  result: ExecResult | null;
}
/**
 * A part of what a terminal shows, or its end.
 *
 * The first one has the `session` and the `terminal` to which input is sent; the last one has the
 * `result`, without output.
 */
export interface TerminalEvent {
  session: string;
  terminal: string;
  output: string;
  result: ExecResult | null;
}
/**
 * A program to run inside a session with a terminal; without a `command`, a shell.
 */
export interface TerminalRequest {
  command?: string[];
  columns?: number;
  rows?: number;
}
/**
 * Text that is typed into a terminal, and its new size unless that is 0.
 */
export interface TerminalInput {
  text?: string;
  columns?: number;
  rows?: number;
}
/**
 * The report of a session's page, when it opens and every half minute.
 *
 * `saved` and `unsaved` answer a session that is ending: all documents are saved, or `unsaved` of
 * them could not be. `closed`: the page closes. With `give_back` its user releases the GPUs at
 * once instead of waiting for the rest of the time.
 */
export interface PageReport {
  state: 'closed' | 'open' | 'saved' | 'unsaved';
  unsaved?: number;
  give_back?: boolean;
}
/**
 * The effective policy of one session; `exempt` is its exemption.
 */
export interface SessionPolicy {
  session: string;
  rules: DecidedRule[];
  exempt: Exemption | null;
}
/**
 * The effective value of one rule for a session, and the level that decided it.
 *
 * `value` is written as an administrator types it. `level` is `built-in`, `everyone`,
 * `project:NAME`, `kind:KIND` or `session`. `note` says that the session's own request was not
 * granted in full.
 */
export interface DecidedRule {
  rule: RuleName;
  value: string;
  level: string;
  note: string;
}
/**
 * The newest runs of a session, the newest first.
 *
 * `store` is where they are recorded, empty where there is no store; `problem` is why that could
 * not be read.
 */
export interface RunList {
  items: Run[];
  store: string;
  problem: string;
}
/**
 * One run.
 *
 * `status` is MLflow's word, such as `RUNNING` or `FINISHED`. `source` is the program or notebook,
 * `commit` its version in git. `metrics` are the latest values; `gpu` is the mean GPU
 * utilisation in per cent: as it was logged, else as measured of the session while the run lasted,
 * None where it was neither. `data` are versions of datasets by
 * name, `artifacts` the first names of files at `place`. `snapshot` is the last one of the run.
 */
export interface Run {
  id: string;
  name: string;
  experiment: string;
  status: string;
  begun: string | null;
  ended: string | null;
  source: string;
  commit: string;
  params: {
    [k: string]: string;
  };
  metrics: {
    [k: string]: number;
  };
  gpu: number | null;
  data: {
    [k: string]: string;
  };
  artifacts: string[];
  place: string;
  snapshot: string;
}
/**
 * What is known of a session's activity: every signal, as of `at`.
 *
 * `idle` is None while the session counts as busy. `looked` is false if it was not observed since
 * the controller started.
 */
export interface Activity {
  session: string;
  at: string;
  signals: Signal[];
  idle: Idleness | null;
  looked: boolean;
}
/**
 * One signal of activity.
 *
 * `last` is when it was last busy; `unknown` counts as busy. `detail` describes the observation.
 */
export interface Signal {
  name: SignalName;
  state: SignalState;
  last: string;
  detail: string;
}
/**
 * Request to keep a session alive; an empty duration means as long as the policy allows.
 */
export interface KeepAliveRequest {
  span?: string | number;
}
/**
 * All that admins set, as the text of a quota file; `revision` is that of the text.
 *
 * `file` is the path of the quota file that sets it all, empty where it is changed here.
 */
export interface SettingsText {
  text: string;
  revision: string;
  file: string;
}
/**
 * Request for all settings, as the text of a quota file, with the revision it is based on.
 */
export interface SettingsTextRequest {
  text: string;
  revision: string;
}
/**
 * The snapshots that the caller may see, newest first.
 *
 * `total` counts all that match, `next` is the cursor of the following page. `uses` sum up the
 * sizes, for all users if the caller is an admin. `problems` are lakes that do not answer.
 */
export interface SnapshotList {
  items: Snapshot[];
  total: number;
  next: string;
  uses: SnapshotUse[];
  problems: string[];
}
/**
 * One snapshot, as a caller sees it.
 *
 * `id` is the sha256 of its manifest; while it is made, and if that fails, the id of its `job`.
 * `partial`: some part is missing, see its manifest. `size` is in bytes, `added` those that were
 * new to the lake, None where copies of volumes do not tell what they take. `data` are the
 * versions of datasets that its session used, `providers` have stored its parts, or frozen the
 * folder for that: `instant` if all of it is of one moment. `problems` counts missing parts;
 * `problem` is why it could not be made. Of a snapshot of another user, an admin sees sizes only.
 */
export interface Snapshot {
  id: string;
  session: string;
  name: string;
  project: string;
  owner: string;
  created: string;
  note: string;
  tags: string[];
  trigger: Trigger;
  parent: string;
  state: SnapshotState;
  files: number;
  size: number;
  added: number | null;
  consistency: Consistency;
  mechanism: Mechanism;
  data: DataMount[];
  providers: string[];
  metrics: {
    [k: string]: number;
  };
  pin: SnapshotPin | null;
  problems: number;
  problem: Problem | null;
  job: string;
  actions: SnapshotAction[];
}
/**
 * Why a snapshot is kept whatever the rules say, and since when.
 */
export interface SnapshotPin {
  why: string;
  since: string;
}
/**
 * The room that the snapshots of one user in one project take, in bytes.
 *
 * `unknown` counts those whose storage does not tell what they take.
 */
export interface SnapshotUse {
  project: string;
  owner: string;
  snapshots: number;
  size: number;
  added: number;
  unknown?: number;
}
/**
 * Filters and page of the list; empty means any. `text` is searched in notes, names, tags.
 */
export interface SnapshotQuery {
  session?: string;
  project?: string;
  tag?: string;
  text?: string;
  limit?: number;
  cursor?: string;
}
/**
 * A snapshot to take of a session.
 *
 * `artifacts` are globs in the session's folder whose files are recorded one by one; `variables`
 * are names in its kernel, which a program of the session may have written to the file `dump`
 * already; else the kernel of `notebook` writes them, or the only one. `program` is
 * the command line of the program that takes the snapshot of its own session. `volumes` are the
 * names of those to copy, None for all that the session may write. `exclude` are patterns, as in
 * `.gitignore`, of what is left out of its folder and volumes.
 */
export interface SnapshotRequest {
  note?: string;
  tags?: string[];
  artifacts?: string[];
  metrics?: {
    [k: string]: number;
  };
  variables?: string[];
  dump?: string;
  notebook?: string;
  program?: string[];
  volumes?: string[] | null;
  exclude?: string[];
}
/**
 * What a snapshot would store now.
 *
 * `files` and their `size` in bytes, None where the storage does not tell them. There is more if
 * it is not `complete`: counting has taken too long. `left_out` are the first paths that would be
 * left out, `all_left_out` is their number.
 */
export interface SnapshotPreview {
  files: number | null;
  size: number | null;
  complete: boolean;
  left_out: LeftOut[];
  all_left_out: number;
}
/**
 * A path that a snapshot leaves out, and why; that of a folder stands for all below it.
 */
export interface LeftOut {
  path: string;
  why: string;
}
/**
 * A snapshot with its manifest, None while there is none.
 *
 * `reproduce` are the commands that rebuild the run from the snapshot, `programs` those that run
 * in the restored session. `environment` is what makes its environment again, None where nothing
 * is known of its packages.
 */
export interface SnapshotDetails {
  snapshot: Snapshot;
  manifest: Manifest | null;
  reproduce: string[];
  programs?: string[][];
  environment?: EnvironmentFiles | null;
}
/**
 * One snapshot.
 *
 * `session` is the id of the session, `name` its name. `author` is who asked for it, `owner`
 * whom it belongs to. `parent` is the id of the snapshot before. `spec` is the session's without
 * secrets. `metrics` are numbers by name; `mlflow_run` is the id of the run of MLflow that
 * was begun last, `run` what it had recorded.
 * `program` is the command line of the training code that took the snapshot. `job` is the id of
 * the job that made it, by which whoever asked for it knows it.
 */
export interface Manifest {
  schema: number;
  session: string;
  name: string;
  project: string;
  owner: string;
  author: string;
  created: string;
  parent: string;
  note: string;
  tags: string[];
  trigger: Trigger;
  consistency: Consistency;
  spec: SessionSpec;
  tree: TreePart | null;
  notebooks: NotebookPart[];
  git: GitPart[];
  environment: EnvironmentPart;
  data: DataMount[];
  volumes: VolumePart[];
  artifacts: FilePart[];
  logs: FilePart[];
  metrics: {
    [k: string]: number;
  };
  mlflow_run: string;
  run?: Run | null;
  program?: string[];
  job?: string;
  kernel: KernelPart | null;
  problems: PartProblem[];
}
/**
 * A folder, that of the session or of a volume: a version in a lake.
 *
 * `lake` is the lake's name, `dataset` the hidden dataset that holds the trees of one owner.
 * `files` and `size` (in bytes) count what the version contains, `added` the bytes that were
 * new to the lake. `provider` made the view of the folder that was stored, such as `btrfs`; empty
 * if its files were read in place. `mechanism` says whether the folder was frozen at once.
 */
export interface TreePart {
  folder: string;
  lake: string;
  dataset: string;
  version: string;
  files: number;
  size: number;
  added: number;
  provider?: string;
  mechanism?: Mechanism;
}
/**
 * A notebook in the folder: the sha256 of its file, its code cells, and how many have run.
 */
export interface NotebookPart {
  path: string;
  sha256: string;
  cells: number;
  executed: number;
}
/**
 * A git repository in the folder.
 *
 * `folder` is relative, `.` for the folder itself. `remote` has no credentials. `patch` is the
 * sha256 of the blob with the changes since `commit`, empty without changes. `untracked` are
 * the first paths that git does not know, `all_untracked` their number.
 */
export interface GitPart {
  folder: string;
  remote: string;
  commit: string;
  branch: string;
  dirty: boolean;
  patch: string;
  untracked: string[];
  all_untracked: number;
}
/**
 * What the session runs with.
 *
 * `python` is the version of an `implementation` such as CPython, which manifests of earlier
 * versions do not have. `prefix` is a Python prefix of this machine, `image` and `digest` those of
 * a container. `packages` are versions by name, `sources` where those came from that no index
 * has, `conda` what conda has installed. `cuda`, `driver` and `gpus` are empty where there are
 * none.
 */
export interface EnvironmentPart {
  python: string;
  implementation?: string;
  prefix: string;
  image: string;
  digest: string;
  packages: {
    [k: string]: string;
  };
  sources?: {
    [k: string]: PackageSource;
  };
  conda?: CondaPackage[];
  cuda: string;
  driver: string;
  gpus: string[];
  share: Share | null;
}
/**
 * Where a package came from that no index has, as its installer wrote it (PEP 610).
 *
 * `url` is that of a repository of `vcs`, such as `git`, at a `commit`; of an archive with its
 * `sha256`; or of a folder. Of an `editable` folder in a repository of git, `commit` is what was
 * checked out, and `remote` where it came from; it is `dirty` if its files differ from that. The
 * package is in the `subdirectory`.
 */
export interface PackageSource {
  url: string;
  vcs: string;
  commit: string;
  remote: string;
  subdirectory: string;
  sha256: string;
  editable: boolean;
  dirty: boolean;
}
/**
 * A package that conda has installed, as conda wrote it.
 *
 * `provides` are the names of the Python packages in it.
 */
export interface CondaPackage {
  name: string;
  version: string;
  build: string;
  channel: string;
  url: string;
  md5: string;
  sha256: string;
  provides: string[];
}
/**
 * A volume of the session: its copy, made by a `provider` such as `csi` or `lake`.
 *
 * `path` is where the session had it. `handle` names the copy to the provider, such as
 * `NAMESPACE/VOLUMESNAPSHOT`; empty for a volume that is only recorded. `size` is in bytes, 0
 * if unknown. `mechanism` says whether the copy is made at once or by copying bytes. `modes` are
 * the access modes of a claim, as its cluster names them. `tree` are the files of a copy in a
 * lake, whose version is its handle.
 */
export interface VolumePart {
  volume: string;
  path: string;
  provider: string;
  handle: string;
  size: number;
  consistency: Consistency;
  mechanism: Mechanism;
  storage_class: string;
  modes: string[];
  tree?: TreePart | null;
}
/**
 * One file: an artifact or a log. `path` is that in the snapshot's tree, `size` in bytes.
 */
export interface FilePart {
  path: string;
  size: number;
  sha256: string;
}
/**
 * Chosen variables of a kernel, stored as the file `path` of the tree by a `provider`.
 */
export interface KernelPart {
  provider: string;
  path: string;
  sha256: string;
  names: string[];
  skipped: SkippedVariable[];
}
/**
 * A variable of a kernel that could not be stored, and why.
 */
export interface SkippedVariable {
  name: string;
  reason: string;
}
/**
 * A part that is missing or incomplete: `git`, `kernel`, `tree:data/x.bin`, and why.
 */
export interface PartProblem {
  part: string;
  message: string;
}
/**
 * What it takes to make the environment of a snapshot again.
 *
 * `python` is a version as uv takes it, `requirements` are the lines of a file for pip and uv,
 * `explicit` those of one for `conda create`, none without conda.
 */
export interface EnvironmentFiles {
  python: string;
  requirements: string[];
  explicit: string[];
}
/**
 * All tags of a snapshot from now on. The manifest itself never changes.
 */
export interface SnapshotMarks {
  tags?: string[];
}
/**
 * Why a snapshot shall be kept.
 */
export interface SnapshotPinRequest {
  why?: string;
}
/**
 * What differs from the snapshot `before` to `after`, by part.
 *
 * `code` are git commits and patches, `params` those of runs; `files` the first files of the
 * folder that differ, `all_files` their number. `problems` are parts that could not be compared,
 * and why.
 */
export interface SnapshotComparison {
  before: string;
  after: string;
  code: FactChange[];
  packages: FactChange[];
  environment: FactChange[];
  data: FactChange[];
  volumes: FactChange[];
  params?: FactChange[];
  metrics: FactChange[];
  notebooks: NotebookChange[];
  files: Difference[];
  all_files: number;
  problems: string[];
}
/**
 * One fact that differs; a side that does not have it is empty.
 *
 * `name` is that of a package, a metric, a dataset, a git repository, or of a field such as
 * `python`.
 */
export interface FactChange {
  name: string;
  before: string;
  after: string;
}
/**
 * A notebook that differs, and how: `text` is a diff of its sources, by nbdime if installed.
 */
export interface NotebookChange {
  path: string;
  change: string;
  text: string;
}
/**
 * One path that differs between two versions; sizes and hashes are those before and after.
 */
export interface Difference {
  path: string;
  raw: boolean;
  change: FileChange;
  before: number;
  after: number;
  sha256_before: string;
  sha256_after: string;
}
/**
 * The snapshot to compare with.
 */
export interface SnapshotCompareQuery {
  other: string;
}
/**
 * A new folder to write a snapshot's files to; an absolute path of the controller's machine.
 */
export interface SnapshotFolder {
  folder: string;
}
/**
 * A part of the files of a snapshot, which are one tar archive with a folder for each volume.
 *
 * Parts without data say that it goes on. The last one has the `job`; without it the archive is
 * not whole.
 */
export interface SnapshotFiles {
  data: string;
  job: Job | null;
}
/**
 * Rules of the caller, and the ids of the snapshots that they would remove now.
 */
export interface SnapshotSettings {
  rules: SnapshotRules;
  removed: string[];
}
/**
 * Which snapshots are made and removed by themselves, for one user.
 *
 * The last `keep_last` of each session stay, one of each of the last `daily` days and `weekly`
 * weeks in which there are any, and all with a tag or a pin; 0 everywhere keeps all. Every `every`
 * seconds a running session is stored, 0: never; `on_suspend` and `on_finish` when it is
 * suspended or has ended.
 */
export interface SnapshotRules {
  keep_last: number;
  daily: number;
  weekly: number;
  every: number;
  on_suspend: boolean;
  on_finish: boolean;
}
/**
 * The rules of `SnapshotRules` that shall hold from now on.
 *
 * With `dry_run` nothing changes: the answer says what they would remove.
 */
export interface SnapshotRulesRequest {
  keep_last?: number;
  daily?: number;
  weekly?: number;
  every?: number;
  on_suspend?: boolean;
  on_finish?: boolean;
  dry_run?: boolean;
}
/**
 * What a restore would make, and everything that stands against it or will be different.
 *
 * `spec` is that of the new session, None where none is launched. `problems` prevent the restore;
 * `warnings` do not. `size` is in bytes, `free` the room where the folder will be. `claims` are
 * the new volumes, as ORIGINAL=NEW; on a cluster there is no folder. `original` goes on unless
 * the user stops it. `commands` restore with the packages that the snapshot was taken with, where
 * the environment is gone or has others now.
 */
export interface RestorePlan {
  snapshot: string;
  folder: string;
  size: number;
  free: number | null;
  spec: SessionSpec | null;
  original?: Original | null;
  claims: string[];
  problems: FieldProblem[];
  warnings: string[];
  commands?: string[];
}
/**
 * The session that a snapshot was taken of, while it has not ended.
 *
 * `folder` is where it works, empty on a cluster.
 */
export interface Original {
  name: string;
  folder: string;
}
/**
 * How to restore a snapshot.
 *
 * `name` is that of the new session, by default the old one's with a number. `variables` restores
 * stored variables of a kernel: they are code. `launch` false makes no session. `environment` is
 * what the new session starts from, by default what the old one did.
 */
export interface RestoreRequest {
  name?: string;
  folder?: string;
  variables?: boolean;
  launch?: boolean;
  environment?: string;
}
/**
 * A restore that was begun.
 *
 * `folder` is the new folder, empty on a cluster, `session` the id of the new session once it
 * exists. `volumes` are the new ones. `original` is what the plan says of it.
 */
export interface Restoration {
  id: string;
  snapshot: string;
  owner: string;
  state: RestoreState;
  folder: string;
  name: string;
  session: string;
  job: string;
  begun: string;
  updated: string;
  volumes?: string[];
  original?: Original | null;
  problem: Problem | null;
}
/**
 * The restores of the caller that go on or have ended lately, newest first.
 */
export interface RestorationList {
  items: Restoration[];
}
/**
 * The templates that the caller may launch: own ones first, then by name.
 */
export interface TemplateList {
  items: Template[];
}
/**
 * A named request, as a caller sees it.
 *
 * `owner` is empty for those of admins, which everyone sees who may launch in their project; in
 * any project if the request names none. `on_shutdown` is what happens to a session that was
 * launched as a kernel, once that kernel is shut down. `actions` are what the caller may do.
 */
export interface Template {
  name: string;
  title: string;
  description: string;
  scope: TemplateScope;
  owner: string;
  request: TemplateFields;
  on_shutdown: OnShutdown;
  actions: TemplateAction[];
}
/**
 * A template to save; with a `session`, its request is taken instead of `request`.
 */
export interface TemplateRequest {
  title?: string;
  description?: string;
  on_shutdown?: 'stop' | 'suspend';
  request?: SessionFields;
  session?: string;
}
/**
 * What is requested of a session, as a user types it.
 *
 * `gpu` is a fraction (`0.5`) or a count, `gpu_memory` MiB or a quantity, `gpu_compute` per cent.
 * `environment` is an id, the path of a Python prefix or an image, `folder` a path (relative ones
 * start at the server's root). An empty `command` means a Jupyter Server; `args` are appended to
 * either. `node_type` is the node group to run on, `base_url` that of the JupyterLab that will
 * show it. `idle_timeout` (`30m`; `0`: never) is granted as far as the policy allows; with
 * `stop_when_idle` the session is then stopped. `data`
 * are versions of datasets, as `NAME`, `NAME@REF` or `NAME@REF:/path`. `volumes` are those of the
 * project, as `NAME:/path[:ro]`, or new ones as `CLASS:SIZE:/path`. A training runs its command in
 * several `processes`, each with the whole share; for the `framework` mpi only a launcher runs it,
 * where the cluster has MPIJobs.
 */
export interface SessionFields {
  cpu?: string | number;
  cpu_limit?: string | number;
  memory?: string | number;
  memory_limit?: string | number;
  large_shm?: boolean;
  tolerations?: string[];
  pull_secrets?: string[];
  pull_policy?: string;
  service_account?: string;
  run_as?: string | number;
  secret_env?: {
    [k: string]: string;
  };
  project?: string;
  kind?: 'interactive' | 'interactive-spot' | 'train';
  gpu?: string | number;
  gpu_memory?: string | number;
  gpu_compute?: string | number;
  mig_profile?: string;
  environment?: string;
  folder?: string;
  command?: string[];
  args?: string[];
  env?: {
    [k: string]: string;
  };
  ports?: number[];
  priority?: number;
  node_type?: string;
  base_url?: string;
  idle_timeout?: string | number;
  stop_when_idle?: boolean;
  processes?: number;
  framework?: 'mpi' | 'torch';
  data?: string[];
  volumes?: string[];
}
/**
 * What is requested of a session, as a user types it.
 *
 * `gpu` is a fraction (`0.5`) or a count, `gpu_memory` MiB or a quantity, `gpu_compute` per cent.
 * `environment` is an id, the path of a Python prefix or an image, `folder` a path (relative ones
 * start at the server's root). An empty `command` means a Jupyter Server; `args` are appended to
 * either. `node_type` is the node group to run on, `base_url` that of the JupyterLab that will
 * show it. `idle_timeout` (`30m`; `0`: never) is granted as far as the policy allows; with
 * `stop_when_idle` the session is then stopped. `data`
 * are versions of datasets, as `NAME`, `NAME@REF` or `NAME@REF:/path`. `volumes` are those of the
 * project, as `NAME:/path[:ro]`, or new ones as `CLASS:SIZE:/path`. A training runs its command in
 * several `processes`, each with the whole share; for the `framework` mpi only a launcher runs it,
 * where the cluster has MPIJobs.
 */
export interface SessionFields1 {
  cpu?: string | number;
  cpu_limit?: string | number;
  memory?: string | number;
  memory_limit?: string | number;
  large_shm?: boolean;
  tolerations?: string[];
  pull_secrets?: string[];
  pull_policy?: string;
  service_account?: string;
  run_as?: string | number;
  secret_env?: {
    [k: string]: string;
  };
  project?: string;
  kind?: 'interactive' | 'interactive-spot' | 'train';
  gpu?: string | number;
  gpu_memory?: string | number;
  gpu_compute?: string | number;
  mig_profile?: string;
  environment?: string;
  folder?: string;
  command?: string[];
  args?: string[];
  env?: {
    [k: string]: string;
  };
  ports?: number[];
  priority?: number;
  node_type?: string;
  base_url?: string;
  idle_timeout?: string | number;
  stop_when_idle?: boolean;
  processes?: number;
  framework?: 'mpi' | 'torch';
  data?: string[];
  volumes?: string[];
}
/**
 * One page of a list that may grow.
 *
 * `next` is the cursor of the following page, empty on the last one. `total` counts all items that
 * match the filter. `revision` changes with every change of the list. With `since`, a revision,
 * the items are only those that are new or different since then, and `gone` are the ids of those
 * that were in the list before.
 */
export interface PageVersion {
  items: Version[];
  total: number;
  revision: string;
  next: string;
  since?: string;
  gone?: string[];
}
/**
 * What a process reports that has added a version to a lake.
 *
 * `manifest` is the compressed manifest; it is needed where the controller does not read the lake
 * itself. `tags` are all tags of the version.
 */
export interface VersionReport {
  parents?: string[];
  message?: string;
  author?: string;
  time: string;
  files?: number;
  size?: number;
  added?: number;
  tags?: string[];
  source?: string;
  manifest?: string;
}
/**
 * The version that a tag shall name: `latest`, another tag, or the beginning of an id.
 */
export interface TagRequest {
  version?: string;
}
/**
 * One page of a list that may grow.
 *
 * `next` is the cursor of the following page, empty on the last one. `total` counts all items that
 * match the filter. `revision` changes with every change of the list. With `since`, a revision,
 * the items are only those that are new or different since then, and `gone` are the ids of those
 * that were in the list before.
 */
export interface PageDataFile {
  items: DataFile[];
  total: number;
  revision: string;
  next: string;
  since?: string;
  gone?: string[];
}
/**
 * One entry of a folder of a version.
 *
 * `name` is the last part of the path, as it can be shown. `size` and `files` of a folder are
 * those of everything below it. `target` is where a link leads.
 */
export interface DataFile {
  path: string;
  raw: boolean;
  name: string;
  kind: FileKind;
  size: number;
  files: number;
  sha256: string;
  executable: boolean;
  target: string;
}
/**
 * Which entries of a version to list: those of a folder, by default of the root.
 *
 * `match` lists only names that contain it, in the folder and below. `deep` lists all files below
 * the folder instead of its entries. As a version never changes, `cursor` is the number of entries
 * before the page, so that a reader can go to any of them.
 */
export interface FileQuery {
  path?: string;
  raw?: boolean;
  match?: string;
  deep?: boolean;
  limit?: number;
  cursor?: string;
}
/**
 * Some bytes of a file; `size` is that of the whole file.
 */
export interface ContentChunk {
  data: string;
  offset: number;
  size: number;
}
/**
 * Which bytes of a file to read; at most a mebibyte at a time.
 */
export interface ContentQuery {
  path: string;
  raw?: boolean;
  offset?: number;
}
/**
 * What a file looks like: text, a table's first rows, or an image.
 *
 * `data` are the bytes of an image of `media_type`. `truncated`: the file goes on. `why` says why
 * there is no preview.
 */
export interface FilePreview {
  kind: PreviewKind;
  text: string;
  columns: string[];
  rows: string[][];
  media_type: string;
  data: string;
  truncated: boolean;
  why: string;
}
/**
 * The file to preview.
 */
export interface PreviewQuery {
  path: string;
  raw?: boolean;
}
/**
 * One page of what differs between two versions, and how many paths differ in all.
 */
export interface Comparison {
  items: Difference[];
  total: number;
  revision: string;
  next: string;
  since?: string;
  gone?: string[];
  before: string;
  after: string;
  added: number;
  removed: number;
  changed: number;
}
/**
 * The version to compare with, as a reference, and which page of differences to return.
 *
 * `match` returns only paths that contain it, `change` only such changes. `cursor` is the number
 * of differences before the page.
 */
export interface CompareQuery {
  other: string;
  match?: string;
  change?: '' | 'added' | 'changed' | 'removed';
  limit?: number;
  cursor?: string;
}
/**
 * What to verify of a version: its objects in the lake, its cached copy.
 */
export interface VerifyRequest {
  lake?: boolean;
  cache?: boolean;
}
/**
 * The volumes that the caller may see, by project and name, and the classes for new ones.
 *
 * `problems` say what is not known, and why.
 */
export interface VolumeList {
  items: Volume[];
  classes: StorageClass[];
  problems: string[];
}
/**
 * One volume, as a caller sees it.
 *
 * `owner` is empty for those that admins set up. `folder` is its path on this machine, for callers
 * who may mount it; `registered`: it was there before, and deleting the volume keeps its files.
 * `size` and `used` are in bytes; `size` is 0 without a limit, which the file system keeps if
 * `enforced`, and `used` None if it is not known. `reason` is why it is not ready, or what is
 * wrong with it. It can be reached on `nodes` and in `zones` only, everywhere if both are empty.
 * `level` is its VolumeAttributesClass, `source` what it was cloned from. `actions` are what the
 * caller may do.
 */
export interface Volume {
  name: string;
  project: string;
  owner: string;
  kind: VolumeKind;
  folder: string;
  registered: boolean;
  description: string;
  storage_class: string;
  size: number;
  used: number | null;
  enforced: boolean;
  modes: AccessMode[];
  read_only: boolean;
  state: VolumeState;
  reason: Reason | null;
  nodes: string[];
  zones: string[];
  uses: VolumeUse[];
  created: string | null;
  level: string;
  source: string;
  actions: VolumeAction[];
}
/**
 * Who mounts a volume, and how.
 *
 * `session` is the id of a session, empty for another program: `name` is that of its pod then.
 * `state` is that of the session: a queued or suspended one mounts the volume when it starts.
 */
export interface VolumeUse {
  session: string;
  name: string;
  project: string;
  owner: string;
  path: string;
  read_only: boolean;
  node: string;
  state: string;
}
/**
 * What volumes can be made of.
 *
 * `expandable`: its volumes can grow. `waits`: a volume is made when the first session mounts it.
 * `levels` are the VolumeAttributesClasses of its driver. `modes` are the access modes that it is
 * known to have, empty if that is not known.
 */
export interface StorageClass {
  name: string;
  default: boolean;
  provisioner: string;
  expandable: boolean;
  waits: boolean;
  levels: string[];
  modes: AccessMode[];
}
/**
 * Filter of the list of volumes; an empty `project` means any.
 */
export interface VolumeQuery {
  project?: string;
}
/**
 * A volume to create, as a user types it.
 *
 * `project` is the caller's first one if it is empty, `storage_class` the default. `size` is a
 * quantity (`10Gi`; empty or 0: no limit, where the class allows that), `mode` an access mode.
 * `folder` is an existing folder of this machine to share instead of a new one. `source` is
 * `volume:NAME`, a volume of the project to clone.
 */
export interface VolumeRequest {
  name: string;
  project?: string;
  description?: string;
  storage_class?: string;
  size?: string | number;
  mode?: string;
  folder?: string;
  read_only?: boolean;
  level?: string;
  source?: string;
}
/**
 * What to change of a volume; None keeps what is there.
 */
export interface VolumeChange {
  size?: string | number | null;
  level?: string | null;
  read_only?: boolean | null;
  description?: string | null;
}
/**
 * The event that a noun has a new revision: screens that show it read it again.
 */
export interface Change {
  noun: string;
  revision: string;
  instance: string;
}
