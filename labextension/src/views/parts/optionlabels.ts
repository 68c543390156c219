import { TranslationBundle } from '@jupyterlab/translation';
import { IOptions } from '../../state/container';

/** Return the names of a container's options, in the order of the form. */
export function optionLabels(trans: TranslationBundle): IOptions {
  return {
    cpu: trans.__('CPUs'),
    cpu_limit: trans.__('CPU limit'),
    ram: trans.__('Memory'),
    memory_limit: trans.__('Memory limit'),
    large_shm: trans.__('Large shared memory'),
    volumes: trans.__('Volumes'),
    secret_env: trans.__('Variables from Secrets'),
    tolerations: trans.__('Tolerations'),
    pull_secrets: trans.__('Pull secrets'),
    pull_policy: trans.__('Pull policy'),
    service_account: trans.__('Service account'),
    run_as: trans.__('Run as')
  };
}
