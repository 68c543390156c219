import { TranslationBundle } from '@jupyterlab/translation';
import {
  FieldProblem,
  ResizeRequest,
  SessionRequest,
  Share
} from '../api/models';
import { IOptions, NO_OPTIONS, optionsOf } from './container';
import { canonicalNumber, canonicalSpan, typedNumber } from './numbers';
import { splitWords } from './shellwords';

/** What `custom` asks for. */
export type Form = 'gpu' | 'memory' | 'mig';

/** A share as it is chosen in a form. */
export interface IShareDraft {
  /** A number of GPUs, `none`, or `custom`. */
  preset: string;
  form: Form;
  gpu: string;
  memory: string;
  mig: string;
  compute: string;
}

/** The launch form as it is filled in: what the user typed, unread. */
export interface IDraft extends IOptions, IShareDraft {
  name: string;
  /** The template that it was filled in from, as `SCOPE/NAME`. */
  template: string;
  project: string;
  /** Clusters and templates in the order in which they are tried, one a line. */
  on: string;
  /** How long each of them is waited for; empty for what admins have set. */
  on_wait: string;
  kind: NonNullable<SessionRequest['kind']>;
  environment: string;
  folder: string;
  /** Versions of datasets, one `NAME@REF[:/path]` a line. */
  data: string;
  command: string;
  args: string;
  /** One `NAME=value` a line. */
  env: string;
  /** Numbers between commas or spaces. */
  ports: string;
  /** How many processes a training has; empty is one. */
  processes: string;
  /** What starts them: `mpi`; empty for their own rendezvous. */
  framework: string;
  priority: string;
  node_type: string;
  /** A length of time; empty for what the policy says. */
  idle_timeout: string;
  /** `yes`: it is then stopped, whatever the policy does otherwise. */
  stop_when_idle: string;
}

export const PRESETS = ['0.25', '0.5', '1', '2', 'none', 'custom'] as const;

/** What a form begins with; its names are in the order of the form. */
export const EMPTY: Readonly<IDraft> = {
  name: '',
  template: '',
  project: '',
  on: '',
  on_wait: '',
  preset: '0.5',
  form: 'gpu',
  gpu: '0.5',
  memory: '8Gi',
  mig: '',
  compute: '',
  kind: 'interactive',
  environment: '',
  folder: '',
  data: '',
  command: '',
  args: '',
  env: '',
  ports: '',
  processes: '',
  framework: '',
  priority: '50',
  node_type: '',
  idle_timeout: '',
  stop_when_idle: '',
  ...NO_OPTIONS
};

/**
 * What the next form begins with.
 *
 * Not the name and the folder, which differ each time, nor the variables and the command, which
 * may hold secrets, nor the idle timeout: hidden in the form, it would hold GPUs in all later sessions.
 */
export const REMEMBERED = [
  'project',
  'kind',
  'preset',
  'form',
  'gpu',
  'memory',
  'mig',
  'compute',
  'environment',
  'ports',
  'priority'
] as const satisfies readonly (keyof IDraft)[];

/** Keep of something stored whatever still fits the form. */
export function recall(stored: unknown): Partial<IDraft> {
  const values = Object(stored) as Record<string, unknown>;
  return Object.fromEntries(
    REMEMBERED.filter(name => typeof values[name] === 'string').map(name => [
      name,
      values[name]
    ])
  );
}

/** The field of the wire for each form of a share. */
const FIELDS = { gpu: 'gpu', memory: 'gpu_memory', mig: 'mig_profile' };

/** Read a draft; `problems` are those of what cannot even be sent. */
export function toRequest(
  draft: IDraft,
  trans: TranslationBundle
): { request: SessionRequest; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const problem = (field: string, message: string) => {
    problems.push({ field, message, hint: '' });
  };
  const words = (field: 'command' | 'args') => {
    const read = splitWords(draft[field]);
    if (!read) {
      problem(field, trans.__('Close the quotation mark.'));
    }
    return read ?? [];
  };
  const pairs = (field: 'env' | 'secret_env') =>
    variables(draft[field], line =>
      problem(field, trans.__('“%1” is not of the form NAME=value.', line))
    );
  const numbers = draft.ports.split(/[\s,]+/).filter(Boolean);
  const odd = numbers.find(text => !/^\d{1,9}$/.test(text));
  if (odd !== undefined) {
    problem('ports', trans.__('“%1” is not a valid port number.', odd));
  }
  if (!/^-?\d{1,9}$/.test(draft.priority.trim())) {
    problem('priority', trans.__('Enter a number from 0 to 100.'));
  }
  if (draft.preset === 'custom' && !draft[draft.form].trim()) {
    problem(FIELDS[draft.form], trans.__('Enter an amount.'));
  }
  const processes = draft.processes.trim();
  if (!/^\d{0,9}$/.test(processes)) {
    problem('processes', trans.__('Enter a number.'));
  }
  const request: SessionRequest = {
    name: draft.name.trim(),
    project: draft.project,
    kind: draft.kind,
    ...shareOf(draft),
    environment: draft.environment.trim(),
    folder: draft.folder.trim(),
    command: words('command'),
    args: words('args'),
    env: pairs('env'),
    ports: odd === undefined ? numbers.map(Number) : [],
    priority: Number(draft.priority) || 0,
    node_type: draft.node_type.trim(),
    idle_timeout: canonicalSpan(draft.idle_timeout),
    // A server of an older version knows none of these.
    ...(draft.stop_when_idle ? { stop_when_idle: true } : {}),
    ...(processes ? { processes: Number(processes) || 1 } : {}),
    ...(draft.framework === 'mpi' ? { framework: 'mpi' } : {}),
    ...placesOf(draft),
    ...dataOf(draft),
    ...optionsOf(draft, pairs('secret_env'))
  };
  return { request, problems };
}

/** Return what the form has to hold so that it asks for a share. */
export function toDraft({
  milli,
  memory,
  compute,
  mig
}: Share): Partial<IShareDraft> {
  const custom = { preset: 'custom', compute: compute ? String(compute) : '' };
  if (mig) {
    return { ...custom, form: 'mig', mig };
  }
  if (memory) {
    return { ...custom, form: 'memory', memory: `${memory}Mi` };
  }
  if (!milli) {
    return { preset: 'none' };
  }
  const gpu = String(milli / 1000);
  const preset = PRESETS.find(name => name === gpu);
  return preset && !compute
    ? { preset }
    : { ...custom, form: 'gpu', gpu: typedNumber(milli / 1000) };
}

/** Return the control of the form that a field of the wire belongs to. */
export function controlOf(field: string): keyof IDraft | undefined {
  const [head] = field.split(/[.[]/);
  const renamed: Record<string, keyof IDraft> = {
    gpu_memory: 'memory',
    gpu_compute: 'compute',
    mig_profile: 'mig',
    memory: 'ram'
  };
  const name = renamed[head] ?? head;
  return name in EMPTY ? (name as keyof IDraft) : undefined;
}

/** Return what was entered as datasets. */
function dataOf(draft: IDraft): Pick<SessionRequest, 'data'> {
  const data = linesOf(draft.data);
  return data.length ? { data } : {};
}

/** Return what was entered as clusters, and the time that each is waited for. */
function placesOf(draft: IDraft): Pick<SessionRequest, 'on' | 'on_wait'> {
  const on = linesOf(draft.on);
  return on.length ? { on, on_wait: canonicalSpan(draft.on_wait) } : {};
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
}

/** Return the share of a draft as the fields of a request; none for CPUs only. */
export function shareOf(draft: IShareDraft): ResizeRequest {
  if (draft.preset === 'none') {
    return {};
  }
  if (draft.preset !== 'custom') {
    return { gpu: draft.preset };
  }
  switch (draft.form) {
    case 'gpu':
      return { gpu: canonicalNumber(draft.gpu), gpu_compute: draft.compute };
    case 'memory':
      return {
        gpu_memory: canonicalNumber(draft.memory),
        gpu_compute: draft.compute
      };
    case 'mig':
      return { mig_profile: draft.mig };
  }
}

function variables(
  text: string,
  refuse: (line: string) => void
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const line of text.split('\n').filter(line => line.trim())) {
    const at = line.indexOf('=');
    if (at > 0) {
      env[line.slice(0, at).trim()] = line.slice(at + 1);
    } else {
      refuse(line.trim());
    }
  }
  return env;
}
