import { nullTranslator } from '@jupyterlab/translation';
import { NO_OPTIONS, typedOptions } from '../container';
import { controlOf, EMPTY, IDraft, recall, toDraft, toRequest } from '../draft';

const trans = nullTranslator.load('jupyter_gpuquota');
const read = (changes: Partial<IDraft>) =>
  toRequest({ ...EMPTY, name: 'exp-1', ...changes }, trans);

describe('a draft', () => {
  it('asks for what its preset says', () => {
    expect(read({ preset: '0.25' }).request.gpu).toBe('0.25');
    expect(read({ preset: 'none' }).request).not.toHaveProperty('gpu');
  });

  it.each([
    [
      { form: 'gpu', gpu: '0.3', compute: '30' },
      { gpu: '0.3', gpu_compute: '30' }
    ],
    [
      { form: 'memory', memory: '6Gi' },
      { gpu_memory: '6Gi', gpu_compute: '' }
    ],
    [{ form: 'mig', mig: '1g.10gb', compute: '30' }, { mig_profile: '1g.10gb' }]
  ] as const)('asks for its own share: %j', (changes, expected) => {
    const { request } = read({ preset: 'custom', ...changes });
    expect(request).toMatchObject(expected);
    const forms = ['gpu', 'gpu_memory', 'mig_profile'].filter(
      name => name in request
    );
    expect(forms.length).toBe(1);
  });

  it('asks for several processes only where a number is given', () => {
    expect(read({}).request).not.toHaveProperty('processes');
    expect(read({ processes: '4' }).request.processes).toBe(4);
    expect(read({ processes: 'all' }).problems).toHaveLength(1);
  });

  it('reads command, variables and ports', () => {
    const { request, problems } = read({
      command: "python -c 'print(1)'",
      env: 'A=1\n\nB = x=y ',
      ports: '6006, 8080'
    });
    expect(problems).toEqual([]);
    expect(request).toMatchObject({
      command: ['python', '-c', 'print(1)'],
      env: { A: '1', B: ' x=y ' },
      ports: [6006, 8080]
    });
  });

  it('says all at once what cannot even be sent', () => {
    const { problems } = read({
      preset: 'custom',
      gpu: ' ',
      command: "'",
      env: 'PATH',
      ports: 'web',
      priority: 'high'
    });
    expect(problems.map(({ field }) => field).sort()).toEqual([
      ...['command', 'env', 'gpu', 'ports', 'priority']
    ]);
  });

  it('asks for options of a container', () => {
    const { request, problems } = read({
      environment: ' ghcr.io/team/torch:2 ',
      node_type: ' fast ',
      cpu: '2',
      ram: '8Gi',
      large_shm: 'yes',
      volumes: 'data:/data:ro\n\nhome:/work',
      secret_env: 'KEY=keys/api',
      tolerations: 'gpu, team=a:NoExecute',
      run_as: '1000'
    });
    expect(problems).toEqual([]);
    expect(request).toMatchObject({
      environment: 'ghcr.io/team/torch:2',
      node_type: 'fast',
      cpu: '2',
      memory: '8Gi',
      large_shm: true,
      volumes: ['data:/data:ro', 'home:/work'],
      secret_env: { KEY: 'keys/api' },
      tolerations: ['gpu', 'team=a:NoExecute'],
      run_as: '1000'
    });
    expect(request).not.toHaveProperty('cpu_limit');
    expect(request).not.toHaveProperty('pull_secrets');
  });

  it('shows checked options as they would be typed', () => {
    const options = {
      cpu: 1500,
      cpu_limit: 0,
      memory: 8192,
      memory_limit: 0,
      large_shm: true,
      tolerations: [
        { key: 'gpu', value: '', effect: '' },
        { key: 'team', value: 'a', effect: 'NoExecute' }
      ],
      pull_secrets: ['registry'],
      pull_policy: '',
      service_account: '',
      run_as_user: 1000,
      run_as_group: null,
      secret_env: { KEY: { secret: 'keys', key: 'api' } },
      mounts: [
        { claim: 'data', host_path: '', path: '/data', read_only: true },
        { claim: '', host_path: '/mnt', path: '/mnt', read_only: false }
      ]
    };
    expect(typedOptions(options)).toEqual({
      ...NO_OPTIONS,
      cpu: '1.5',
      ram: '8192Mi',
      large_shm: 'yes',
      volumes: 'data:/data:ro\n/mnt:/mnt',
      secret_env: 'KEY=keys/api',
      tolerations: 'gpu\nteam=a:NoExecute',
      pull_secrets: 'registry',
      run_as: '1000'
    });
  });

  it('tells the memory of the GPU from that of the container', () => {
    const { problems } = read({ preset: 'custom', form: 'memory', memory: '' });
    expect(problems.map(({ field }) => controlOf(field))).toEqual(['memory']);
    expect(controlOf('memory')).toBe('ram');
    expect(controlOf('volumes[0]')).toBe('volumes');
  });

  it('leaves the rest to the server', () => {
    expect(
      read({ ports: '0 70000', preset: 'custom', gpu: '½' }).problems
    ).toEqual([]);
  });
});

describe('the controls of fields', () => {
  it.each([
    ['name', 'name'],
    ['env.PATH', 'env'],
    ['ports[1]', 'ports'],
    ['gpu_memory', 'memory'],
    ['gpu_compute', 'compute'],
    ['mig_profile', 'mig'],
    ['base_url', undefined]
  ])('%s: %s', (field, control) => {
    expect(controlOf(field)).toBe(control);
  });
});

describe('a share that is offered', () => {
  const share = { milli: 0, memory: 0, compute: 0, mig: '' };

  it.each([
    [{ milli: 500 }, { gpu: '0.5' }],
    [{ milli: 300 }, { gpu: '0.3', gpu_compute: '' }],
    [{ milli: 3000 }, { gpu: '3', gpu_compute: '' }],
    [
      { milli: 500, compute: 40 },
      { gpu: '0.5', gpu_compute: '40' }
    ],
    [{ memory: 8192 }, { gpu_memory: '8192Mi', gpu_compute: '' }],
    [{ mig: '1g.10gb' }, { mig_profile: '1g.10gb' }]
  ])('fills the form so that it asks for it: %j', (part, asked) => {
    const { request, problems } = read(toDraft({ ...share, ...part }));
    expect(problems).toEqual([]);
    expect(request).toMatchObject(asked);
  });
});

describe('what is remembered', () => {
  it('is the choice, but no name, folder, command or variable', () => {
    const stored = { ...EMPTY, preset: '2', env: 'SECRET=1', folder: '/x' };
    const recalled = recall(stored);
    expect(recalled.preset).toBe('2');
    expect(recalled).not.toHaveProperty('env');
    expect(recalled).not.toHaveProperty('folder');
  });

  it.each([undefined, null, 3, 'x', { preset: 7 }])(
    'is nothing of what does not fit: %j',
    stored => expect(recall(stored)).toEqual({})
  );
});
