import { Template, TemplateFields } from '../../api/models';
import { EMPTY, Form, IDraft, PRESETS } from '../draft';
import { keyOf } from './key';
import { YES } from '../settings/formvalues';
import { joinWords } from '../shellwords';

/** Return the form of a template's launch; the name stays that of the draft. */
export function fromTemplate(template: Template, draft: IDraft): IDraft {
  return {
    ...fromRequest(template.request, draft),
    template: keyOf(template)
  };
}

/** Return the form that makes a request; the name stays that of the draft. */
export function fromRequest(asked: TemplateFields, draft: IDraft): IDraft {
  const lines = (texts: readonly string[]) => texts.join('\n');
  const pairs = (values: Record<string, string>) =>
    lines(Object.entries(values).map(([name, value]) => `${name}=${value}`));
  return {
    ...EMPTY,
    ...shareOf(asked),
    name: draft.name,
    project: asked.project,
    kind: asked.kind as IDraft['kind'],
    environment: asked.environment,
    folder: asked.folder || draft.folder,
    data: lines(asked.data),
    command: joinWords(asked.command),
    args: joinWords(asked.args),
    env: pairs(asked.env),
    ports: asked.ports.join(' '),
    processes: (asked.processes ?? 1) > 1 ? String(asked.processes) : '',
    framework: asked.framework === 'mpi' ? 'mpi' : '',
    priority: String(asked.priority),
    node_type: asked.node_type,
    idle_timeout: String(asked.idle_timeout),
    stop_when_idle: asked.stop_when_idle ? YES : '',
    cpu: String(asked.cpu),
    cpu_limit: String(asked.cpu_limit),
    ram: String(asked.memory),
    memory_limit: String(asked.memory_limit),
    large_shm: asked.large_shm ? YES : '',
    volumes: lines(asked.volumes),
    secret_env: pairs(asked.secret_env),
    tolerations: lines(asked.tolerations),
    pull_secrets: lines(asked.pull_secrets),
    pull_policy: asked.pull_policy,
    service_account: asked.service_account,
    run_as: String(asked.run_as)
  };
}

function shareOf(request: TemplateFields): Partial<IDraft> {
  const { gpu, gpu_memory, mig_profile } = request;
  const compute = String(request.gpu_compute);
  const custom = (form: Form, amount: string | number) => ({
    preset: 'custom',
    form,
    [form]: String(amount),
    compute
  });
  if (mig_profile) {
    return custom('mig', mig_profile);
  }
  if (gpu_memory) {
    return custom('memory', gpu_memory);
  }
  const preset = PRESETS.find(name => Number(name) === Number(gpu || NaN));
  if (preset && !compute) {
    return { preset };
  }
  return gpu ? custom('gpu', gpu) : { preset: 'none' };
}
