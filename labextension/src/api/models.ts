/* eslint-disable @typescript-eslint/naming-convention */
// Written by `python -m jupyter_gpuquota.api.schema`: change the Python model instead.

export type Kind = 'interactive' | 'interactive-spot' | 'train' | (string & {});
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
  | 'MaxLifetime'
  | 'IdleTimeout'
  | 'GpuIdleTimeout'
  | 'QueueMissing'
  | 'NotAllowed'
  | 'DeviceLost'
  | 'StartFailed'
  | 'StartTimeout'
  | 'CommandFailed'
  | 'Killed'
  | 'ExitUnknown'
  | 'HostRestarted'
  | 'StopRequested'
  | 'SuspendRequested'
  | 'ResizeRequested'
  | (string & {});
export type Strength =
  'none' | 'cooperative' | 'enforced' | 'hardware' | (string & {});
export type Scope = '' | 'process' | 'container' | 'session' | (string & {});
export type IdleRule =
  'idle_timeout' | 'quiet_hours' | 'gpu_idle_timeout' | (string & {});
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
  | (string & {});
export type PreviewVerdict =
  'fits' | 'borrows' | 'reclaims' | 'waits' | 'forbidden' | (string & {});
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
  | 'quiet_hours'
  | (string & {});
export type SignalName =
  | 'kernels'
  | 'terminals'
  | 'presence'
  | 'cpu'
  | 'gpu'
  | 'process'
  | (string & {});
export type SignalState = 'busy' | 'idle' | 'unknown' | (string & {});
export type By = 'project' | 'user' | (string & {});
export type SetBy = 'config' | 'store' | 'file' | (string & {});
export type IdleAction = 'suspend' | 'stop' | 'notify' | (string & {});
export type Day =
  'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | (string & {});
export type Effect =
  'starts' | 'waits' | 'reclaimed' | 'moves' | 'keeps' | 'ends' | (string & {});

/**
 * Who answers.
 *
 * `capabilities` are the optional abilities of the backend (`logs`, `exec`, `ingress`, `history`,
 * `administration`, `policing`).
 * `warnings` are things that an admin should hear of, for example that a damaged state file
 * was moved aside. `source` is where GPUs come from: `nvml`, `simulated` or `none`.
 * `local_files` is true where sessions see the folders and Python prefixes of the machine that
 * the controller runs on, `outlives_controller` where they run on without it.
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
  capabilities: string[];
  warnings: string[];
}
/**
 * Hold one page of a list that may grow.
 *
 * `next` is the cursor of the following page, empty on the last one. `total` counts all
 * items that match the filter. `revision` is another one after every change of the list.
 */
export interface PageSession {
  items: Session[];
  total: number;
  revision: string;
  next: string;
}
/**
 * One session, as everyone may see it: no token, no port, no process id.
 *
 * `run` counts its launches. `path` is where the ingress shows it, below a JupyterLab's base URL.
 * `since` is when the present state began. `place_in_line` counts from 1 inside its project, 0
 * while it is not waiting. `ends` is when its longest life is over, None if nothing bounds it; the
 * level `ends_by` of the policy decided that. `idle` is None while it is used, or has not been
 * idle for a minute. `actions` are what the user who asks may do to it now; `activity` is to see
 * its signals and its policy.
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
  place_in_line: number;
  reclaimed: Reclaim | null;
  ends: string | null;
  ends_by: string;
  idle: Idleness | null;
  kept: KeptAlive | null;
  actions: Action[];
}
/**
 * A request that was checked: every value is usable as it stands.
 *
 * `environment` is a Python prefix, empty where an `image` stands for it; it and `folder` are
 * absolute paths. `idle_timeout` is in seconds (0: never).
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
}
/**
 * Be what a session asks of GPUs.
 *
 * Exactly one form is used: nothing (CPU only); `milli` (a fraction below 1000, or whole
 * devices); `memory` (MiB on one device); or `mig` (a profile such as `1g.10gb`). `compute`
 * (5 to 100 %, steps of 5) may go with a fraction or with memory; 0 means not limited.
 */
export interface Share {
  milli: number;
  memory: number;
  compute: number;
  mig: string;
}
/**
 * Say why, in plain words; `raw` keeps the engine's own.
 *
 * `code` is stable; `message` is a sentence for the user; `hint` what would help.
 */
export interface Reason {
  code: ReasonCode;
  message: string;
  hint: string;
  raw: string;
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
 * `milli` is what it costs in quota; `memory` (MiB) and `compute` (%) what it may use.
 * `uuid` names the device, or the MIG instance where `mig` is set, empty where the engine does
 * not tell; `index` is the device's.
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
 * Say what holds the share, and how it can be bypassed.
 *
 * `scope` is the unit that each limit counts for; empty where nothing is limited.
 */
export interface Isolation {
  memory: Strength;
  compute: Strength;
  scope: Scope;
  bypass: string[];
  note: string;
}
/**
 * Be one step on the way to running, as it happened.
 */
export interface Progress {
  at: string;
  message: string;
}
/**
 * How a session's process ended.
 *
 * `code` is None when nobody could see it (both shim and controller were killed); `signal` names
 * the signal that ended it, if one did. `last_lines` are the log's last lines.
 */
export interface Exit {
  code: number | null;
  at: string;
  signal: string;
  last_lines: string[];
}
/**
 * What a session measurably uses now.
 *
 * `memory` is GPU memory in MiB, None where the driver does not tell; `over`: it is above the
 * session's share. `peak` is the most that this run has used; both stay when it has ended.
 */
export interface Usage {
  at: string;
  memory: number | null;
  over: boolean;
  peak: number | null;
  since: string | null;
}
/**
 * Say for whom a session's GPUs were last taken back, and when.
 *
 * `session` is the id of the one that needed them, `name` and `project` its own. `moved` is
 * true where it only had to make room and goes on elsewhere.
 */
export interface Reclaim {
  at: string;
  session: string;
  name: string;
  project: string;
  moved: boolean;
}
/**
 * Say that a session is idle, and what comes of it.
 *
 * `since` is when any signal was last busy; for `gpu_idle_timeout`, the one of the GPU. `action`
 * is taken at `acts`, by the `rule` and the `level` that decided it; None and empty where nothing
 * will be done, because no level wants it or the session is `exempt` until a time. `warned` is
 * when the owner was told; where the action is `notify`, that was it.
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
 * Say until when a user keeps a session alive, and how often since it was last used.
 */
export interface KeptAlive {
  until: string;
  times: number;
}
/**
 * Filter and page the list of sessions; empty means any.
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
 * A session that is asked for, in the words a user types; checked by `core.specs.check`.
 *
 * `gpu` is a fraction (`0.5`) or a count (`2`), `gpu_memory` MiB or a quantity (`8Gi`),
 * `gpu_compute` per cent. `environment` is an id, the path of a Python prefix or an image,
 * `folder` a path (relative ones start at the server's root). An empty `command` means a Jupyter
 * Server; `args` are appended to whichever runs. `node_type` names the node group to run on,
 * `base_url` is the JupyterLab's that will show it. `idle_timeout` is a wish (`30m`; `0`: never),
 * granted as far as the policy allows.
 */
export interface SessionRequest {
  name: string;
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
}
/**
 * What would happen to a request, before it is made.
 *
 * `verdict` is `fits` (inside quota, with the place), `borrows` (starts too, and can be
 * reclaimed), `reclaims` (starts once others have given back), `waits` (with the reason, the
 * place in its project's line and, where there are such, the nearest share that would start now
 * and when enough is `expected` to be free, because others may not live longer)
 * or `forbidden` (with the rule, or with the broken fields in `problems`).
 */
export interface Preview {
  verdict: PreviewVerdict;
  message: string;
  reason: Reason | null;
  placement: Placement | null;
  isolation: Isolation | null;
  place_in_line: number;
  nearest: Share | null;
  expected: string | null;
  problems: FieldProblem[];
}
/**
 * Say what is wrong with one field of a request.
 */
export interface FieldProblem {
  field: string;
  message: string;
  hint: string;
}
/**
 * Say whether a session would do with another share, by the GPU memory that it has used.
 *
 * `verdict` is `smaller` or `larger` (`share` would do), `fits`, `early` (it was not measured
 * long enough) or `unmeasured`. `peak` and `memory` (of its share) are MiB, `peak` None where
 * it was not measured; `seconds` is how long it was.
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
 * Say nothing: the answer of an action that has only an outcome.
 */
export interface Nothing {}
/**
 * Ask for a session back. `base_url` is that of the JupyterLab that will show it.
 *
 * Left empty, the session is shown where it was before.
 */
export interface ResumeRequest {
  base_url?: string;
}
/**
 * Ask for a session again with another share, in the words of `SessionRequest`.
 */
export interface ResizeRequest {
  gpu?: string | number;
  gpu_memory?: string | number;
  gpu_compute?: string | number;
  mig_profile?: string;
}
/**
 * A part of a session's log; its cursors are opaque and survive rotation.
 *
 * `cursor` is where to go on, `earlier` leads to what precedes `text`, empty where nothing does
 * that can be read. `missed`: lines right before `text`, which the reader has not had, are gone.
 * `ended` is true once no more will come.
 */
export interface LogChunk {
  text: string;
  cursor: string;
  earlier: string;
  missed: boolean;
  ended: boolean;
}
/**
 * The part of a session's log that is wanted, at most `limit` bytes.
 *
 * `before` is a chunk's `earlier`: what precedes that chunk. `tail` > 0: the last lines.
 * Otherwise what follows `cursor`, a chunk's own; empty: from the beginning.
 */
export interface LogQuery {
  cursor?: string;
  before?: string;
  tail?: number;
  limit?: number;
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
 * A part of what a program prints while it runs, or its end.
 *
 * The last one has the `result`, without the output that went before.
 */
export interface ExecEvent {
  output: string;
  result: ExecResult | null;
}
/**
 * Say what the policy comes to for one session; `exempt` is the exemption that it has.
 */
export interface SessionPolicy {
  session: string;
  rules: DecidedRule[];
  exempt: Exemption | null;
}
/**
 * Say what one rule comes to for a session, and which level decided it.
 *
 * `value` is written as an admin types it. `level` is `built-in`, `everyone`, `project:NAME`,
 * `kind:KIND` or `session`. `note` says what else has to be known: that quiet hours hold now, or
 * that a wish was not granted in full.
 */
export interface DecidedRule {
  rule: RuleName;
  value: string;
  level: string;
  locked: boolean;
  note: string;
}
/**
 * Except sessions from being acted on until a time, for a reason.
 *
 * `who` is `session:ID`, `user:NAME` or `project:NAME`.
 */
export interface Exemption {
  who: string;
  until: string;
  reason: string;
}
/**
 * Say what is known of a session's activity: every signal, as of `at`.
 *
 * `idle` is None while the session counts as busy. `looked` is false where it was not looked at
 * yet since the controller began.
 */
export interface Activity {
  session: string;
  at: string;
  signals: Signal[];
  idle: Idleness | null;
  looked: boolean;
}
/**
 * Be one of the things that activity is seen by.
 *
 * `last` is when it was last busy, or could not be told to be idle: `unknown` counts as busy.
 * `detail` says in plain words what was seen.
 */
export interface Signal {
  name: SignalName;
  state: SignalState;
  last: string;
  detail: string;
}
/**
 * Ask to keep a session alive; an empty length of time means as long as the policy allows.
 */
export interface KeepAliveRequest {
  span?: string | number;
}
/**
 * Say how the machine or cluster is shared out.
 *
 * `capacity`, `allocated`, `others` (held by workloads that are not sessions) and `free` are
 * milli-GPU. `mine` names the projects that the asking
 * user may launch in, `default` the one that is taken when none is named. `admin` tells whether
 * that user may change projects.
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
}
/**
 * Say what a project has, holds and waits for.
 *
 * `quota`, `allocated`, `over`, `asked` and `fair` are milli-GPU: by right, held, held above
 * the quota, held plus waited for, and its fair share of the whole. `limit`, `weight` and
 * `priority` are the project's own (see `Project`). `running` and `waiting` count sessions.
 */
export interface ProjectUse {
  name: string;
  quota: number;
  allocated: number;
  over: number;
  asked: number;
  fair: number;
  weight: number;
  limit: number | null;
  priority: number;
  running: number;
  waiting: number;
  users: UserUse[];
}
/**
 * Say what one user holds of a project, in milli-GPU.
 */
export interface UserUse {
  user: string;
  allocated: number;
  waiting: number;
}
/**
 * List points, oldest first; a step of time that was not sampled has none.
 *
 * `step` is the length in seconds of the time that a point stands for, `note` what has to be
 * known to read the figures. `users` sums up the whole time: it adds up to what all had.
 */
export interface History {
  points: HistoryPoint[];
  users: UserHours[];
  by: By;
  step: number;
  since: string;
  until: string;
  simulated: boolean;
  note: string;
}
/**
 * Say how one project, or one user of it, used GPUs in the step of time that begins `at`.
 *
 * `allocated` (which is `by_right` plus `borrowed`) and `asked` (what it waited for) are means
 * in milli-GPU over the `seconds` of the step that were sampled; `peak` is the most that was
 * allocated at once, `waiting` the most sessions that waited at once. `utilisation` is the mean
 * in per cent of the devices that it held, over all of their processes; None where it was not
 * measured. `user` is empty where the point is for the project as a whole.
 */
export interface HistoryPoint {
  at: string;
  project: string;
  user: string;
  seconds: number;
  allocated: number;
  by_right: number;
  borrowed: number;
  asked: number;
  peak: number;
  waiting: number;
  utilisation: number | null;
}
/**
 * Say how many GPU hours one user had of a project, in thousandths.
 *
 * `borrowed` is the part of `allocated` that was above the quota, `waited` what was waited for.
 * `utilisation` is the mean in per cent of the devices while they were held; None where it was
 * not measured. An empty `user` has what is left of the project: of users whose names are not
 * shown, or were not recorded.
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
 * Ask how GPUs were used between `since` and `until`; an empty `project` means all of them.
 *
 * With `by` "user" a point is for one user of a project; naming a `user` asks for that one's.
 * Left out, `until` is now and `since` is `hours` before it. `points` is the most points of
 * time that the answer may have (2 to 2000): the longer the time, the coarser they are.
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
 * List the nodes; `source` says where the inventory comes from.
 */
export interface Nodes {
  nodes: NodeUse[];
  source: string;
  revision: string;
}
/**
 * Say how a node is used.
 */
export interface NodeUse {
  name: string;
  simulated: boolean;
  devices: DeviceUse[];
}
/**
 * Say how a device is used. `free` in milli-GPU; the measurements are None if unknown.
 *
 * `utilisation` in per cent and `memory_used` in MiB are the driver's, for all processes.
 */
export interface DeviceUse {
  device: Device;
  slices: SliceUse[];
  free: number;
  utilisation: number | null;
  memory_used: number | null;
}
/**
 * One GPU. `memory` in MiB. `lost` when the driver no longer answers for it.
 *
 * `index` is its number in the node, None where the engine does not tell; sessions are placed by
 * our own scheduling only on devices that have one.
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
}
/**
 * Be one MIG instance of a device. `memory` in MiB, `slices` of the device's seven.
 */
export interface MigInstance {
  uuid: string;
  profile: string;
  memory: number;
  slices: number;
}
/**
 * Which session holds a part of a device; an empty `session` is a workload beside ours.
 *
 * `milli` and `memory` (MiB) are its share, `used` (MiB) what was measured, None where the
 * driver does not tell; `over` is true while it uses more memory than its share.
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
 * What a session may be started from.
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
 * List the projects as they are set.
 *
 * `source` says who sets them: `config`, until an admin changes something; then `store`; or the
 * quota `file`, whose path stands in `file`: it is changed there and nowhere else. `warnings`
 * are what an admin may not have meant. `revision` is another one after every change of
 * what is set, held or waits.
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
 * Amounts are milli-GPU: `quota` is what it is guaranteed, `limit` the most it may ever hold
 * (None: no limit). `weight` is its part of what others leave (None: as its quota; 0: it never
 * borrows), `priority` its bucket in that. `members` may launch in it and see its sessions; empty
 * means everyone. `viewers` see them and do not launch. `leads` see their details, and may stop,
 * suspend and keep them alive. All three are accounts, or groups of accounts as `group:NAME`.
 * `interactive_duration` (seconds, 0: no end) bounds interactive sessions, `min_runtime` (seconds)
 * is how long its sessions run before they may be reclaimed. A `draining` project starts nothing
 * any more, and goes when the last of its sessions has ended. `revision` is another one after
 * every change of it. `people_shown` is False where the caller may not see who its people are: all
 * three lists are then empty.
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
  revision: string;
  people_shown: boolean;
}
/**
 * Name the node groups that a project's sessions may run on; empty means any.
 *
 * `interactive` counts for both interactive kinds.
 */
export interface Affinity {
  interactive: string[];
  train: string[];
}
/**
 * A project as it is after a change, None if it is gone.
 *
 * `sessions` names those that it is drained of; `warnings` are as in `Projects`.
 */
export interface ProjectAnswer {
  project: Project | null;
  sessions: string[];
  warnings: string[];
}
/**
 * Ask for a project as it is to be, in the words an admin types; see `core.projects.check`.
 *
 * `quota`, `weight` and `limit` are numbers of GPUs (`4`, `2.5`); without a weight it is the
 * quota, without a limit there is none. Durations are seconds or `8h`, `90m`, `1h30m`; 0 is
 * none. `revision` is that of the project that the request was made from, empty for a new one:
 * it is refused if somebody else was quicker.
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
 * Name the node groups that a project's sessions may run on; empty means any.
 */
export interface AffinityRequest {
  interactive?: string[];
  train?: string[];
}
/**
 * Name the node groups that a project's sessions may run on; empty means any.
 */
export interface AffinityRequest1 {
  interactive?: string[];
  train?: string[];
}
/**
 * Say how a project is to go.
 *
 * With `drain` it starts nothing any more and goes when the last of its sessions has ended.
 * `revision` is that of the project as it was read, empty for whichever it is.
 */
export interface ProjectRemoval {
  drain?: boolean;
  revision?: string;
}
/**
 * Be what the admin decides for all projects.
 *
 * `grace` and `min_runtime` are seconds: what a reclaimed session has to end by itself, and how
 * long any session runs before it may be reclaimed. With `consolidate`, sessions that may be
 * reclaimed are moved to make room where only fragments of GPUs are free. `revision` is another
 * one after every change.
 */
export interface Rules {
  grace: number;
  min_runtime: number;
  consolidate: boolean;
  revision: string;
}
/**
 * Ask for the rules as they are to be; `revision` is that of the rules read.
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
 * List the node groups.
 */
export interface Groups {
  items: NodeGroup[];
  revision: string;
}
/**
 * Nodes under a name that projects and requests may ask for.
 *
 * With `separate` set, sessions that share compute and sessions that share memory alone never
 * run side by side on its nodes (ACK's rule).
 */
export interface NodeGroup {
  name: string;
  nodes: string[];
  separate: boolean;
}
/**
 * Ask for the node groups as they are to be; `revision` is that of the groups read.
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
 * All that is set, and the `built_in` rules below it.
 *
 * `revision` is another one after every change.
 */
export interface Policy {
  levels: PolicyLevel[];
  exemptions: Exemption[];
  built_in: PolicyRules;
  revision: string;
}
/**
 * Be one level: `everyone`, `project:NAME` or `kind:KIND`, weakest first.
 */
export interface PolicyLevel {
  level: string;
  rules: PolicyRules;
}
/**
 * Be the rules that one level sets; what is None is left to the weaker levels.
 *
 * Times are seconds. `idle_timeout` (0: never) is after how long without any activity the
 * `action` is taken, `warn_before` how long before that the owner is told; a session's own wish
 * lies between `idle_timeout_min` and `idle_timeout_max`. `gpu_idle_timeout` (0: never) and
 * `gpu_idle_action` are for a session that works, but not on the GPU that it holds. `grace` is
 * what a session has to save and end by itself. `interactive_life` and `train_life` bound how
 * long a session runs (0: no end). A user may keep a session alive for `keep_alive` seconds, at
 * most `keep_alives` times before it must be used again. Up to `cpu_busy` per cent of one core
 * and `gpu_busy` per cent of its GPUs a session counts as idle. `locked` names rules that no
 * stronger level may set.
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
  quiet_hours: QuietHours[] | null;
  locked: RuleName[];
}
/**
 * Be hours in which idle sessions are acted on sooner.
 *
 * `begin` and `end` are minutes since midnight on a clock of the time `zone` (an IANA name);
 * with `end` at or before `begin` they last over midnight. `days` are those on which they begin,
 * empty for all. `idle_timeout` is seconds, at least 1.
 */
export interface QuietHours {
  days: Day[];
  begin: number;
  end: number;
  zone: string;
  idle_timeout: number;
}
/**
 * Ask for the policy as it is to be; `revision` is that of the policy read.
 */
export interface PolicyRequest {
  levels?: PolicyLevelRequest[];
  exemptions?: ExemptionRequest[];
  revision?: string;
}
/**
 * Ask for a level: `everyone`, `project:NAME` or `kind:KIND`.
 */
export interface PolicyLevelRequest {
  level: string;
  rules?: PolicyRulesRequest;
}
/**
 * Ask for the rules of a level, in the words an admin types: see `PolicyRules`.
 *
 * Lengths of time are seconds or `30m`, `8h`; what is None is left to the weaker levels.
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
  quiet_hours?: QuietHoursRequest[] | null;
  locked?: string[];
}
/**
 * Ask for quiet hours: `begin` and `end` as `22:00`, `days` as `mon` or `sat`.
 */
export interface QuietHoursRequest {
  begin: string;
  end: string;
  zone: string;
  idle_timeout: string | number;
  days?: string[];
}
/**
 * Ask for an exemption; `until` is a time with its zone, as in ISO 8601.
 *
 * `who` is `user:NAME`, `project:NAME` or `session:`, with the session's name, `project/name` or
 * id; it is kept by its id. Who is excepted already gets the new exemption instead.
 */
export interface ExemptionRequest {
  who: string;
  until: string;
  reason: string;
}
/**
 * Ask for the rules of a level, in the words an admin types: see `PolicyRules`.
 *
 * Lengths of time are seconds or `30m`, `8h`; what is None is left to the weaker levels.
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
  quiet_hours?: QuietHoursRequest[] | null;
  locked?: string[];
}
/**
 * Say what a policy would have done between `since` and `until`; `message` sums it up.
 *
 * `acts` are the newest of those that the tried policy would have taken, `count` says of how
 * many. `sessions` is how many were looked at in that time, `seconds` for how long in all.
 */
export interface PolicyTrial {
  message: string;
  since: string;
  until: string;
  sessions: number;
  seconds: number;
  projects: TrialSum[];
  acts: TrialAct[];
  count: number;
}
/**
 * Sum up what a policy would have done in a project: before, as it is; after, as tried.
 *
 * `returned` is in milli-GPU hours; notices give nothing back.
 */
export interface TrialSum {
  project: string;
  acts_before: number;
  acts: number;
  false_alarms_before: number;
  false_alarms: number;
  returned_before: number;
  returned: number;
}
/**
 * Say when a session would have been acted on, by which rule.
 *
 * `returned` is what it would have given back until it was used `again` or had ended, in
 * milli-GPU hours. `again` is when it was used next, None if it was not. Used again within an
 * hour, it was a `false_alarm`.
 */
export interface TrialAct {
  session: string;
  project: string;
  user: string;
  at: string;
  rule: IdleRule;
  action: IdleAction;
  returned: number;
  again: string | null;
  false_alarm: boolean;
}
/**
 * Say what a change would do to the present state, and would have done; `message` sums up.
 *
 * `past` is empty where no history is kept, or nothing would have been different.
 */
export interface ChangePreview {
  message: string;
  projects: ProjectEffect[];
  sessions: SessionEffect[];
  past: PastEffect[];
  warnings: string[];
}
/**
 * Say what a change would do to one project, in milli-GPU.
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
 * Say what a change would do to one session, in plain words.
 */
export interface SessionEffect {
  session: string;
  name: string;
  project: string;
  effect: Effect;
  message: string;
}
/**
 * Say what a change would have meant for a project over the last week.
 *
 * Both are milli-GPU hours, compared with the quotas that there are: `gained` of what it waited
 * for would have been inside its fair share, `lost` of what it held beyond it. Below 0 it is
 * the other way round.
 */
export interface PastEffect {
  name: string;
  gained: number;
  lost: number;
}
/**
 * Ask what a change would do: to projects, to rules, to node groups, or to several at once.
 *
 * `put` are projects to put in place, `delete` names of those to delete. `rules` and `groups`
 * are all of them as they are to be; null leaves them as they are. No revision is looked at.
 */
export interface SettingsChange {
  put?: ProjectRequest[];
  delete?: string[];
  rules?: RulesRequest | null;
  groups?: NodeGroupRequest[] | null;
}
/**
 * Hold one page of a list that may grow.
 *
 * `next` is the cursor of the following page, empty on the last one. `total` counts all
 * items that match the filter. `revision` is another one after every change of the list.
 */
export interface PageAuditEntry {
  items: AuditEntry[];
  total: number;
  revision: string;
  next: string;
}
/**
 * Say who changed what and when; `before` and `after` are JSON, empty for nothing.
 */
export interface AuditEntry {
  id: string;
  at: string;
  who: string;
  what: string;
  before: string;
  after: string;
}
/**
 * Ask for a page of the audit log, newest first.
 */
export interface AuditQuery {
  limit?: number;
  cursor?: string;
}
/**
 * Be the body of every error answer: what happened, which rule, what to do next.
 */
export interface Problem {
  code: string;
  message: string;
  hint: string;
  fields: FieldProblem[];
}
/**
 * The event that a noun is at a new revision: whoever shows it reads it again.
 */
export interface Change {
  noun: string;
  revision: string;
  instance: string;
}
