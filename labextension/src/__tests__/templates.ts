import { Template } from '../api/models';

/** Return a template of the user's own, with changes to its request. */
export function makeTemplate(changes: object = {}, name = 'small'): Template {
  return {
    name,
    title: 'A small one',
    description: '',
    scope: 'own',
    owner: 'ana',
    on_shutdown: 'stop',
    actions: ['change', 'delete'],
    request: {
      project: 'team-a',
      kind: 'train',
      gpu: '',
      gpu_memory: '',
      gpu_compute: '',
      mig_profile: '',
      environment: '',
      folder: '',
      command: ['sleep', '600 s'],
      args: [],
      env: { A: '1' },
      ports: [8000, 8001],
      priority: 60,
      node_type: '',
      base_url: '/',
      idle_timeout: '',
      data: ['faces@v1'],
      volumes: [],
      cpu: '',
      cpu_limit: '',
      memory: '16Gi',
      memory_limit: '',
      large_shm: false,
      tolerations: [],
      pull_secrets: [],
      pull_policy: '',
      service_account: '',
      run_as: '',
      secret_env: {},
      ...changes
    }
  };
}
