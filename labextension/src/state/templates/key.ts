import { KernelSpec } from '@jupyterlab/services';
import { Template } from '../../api/models';

/** What identifies a template among those that a user sees. */
export function keyOf({ scope, name }: Template): string {
  return `${scope}/${name}`;
}

/**
 * Return the name of the kernelspec that launches a template; empty where there is none.
 *
 * Of templates with the same name, only the first has a kernel.
 */
export function kernelOf(
  key: string,
  templates: readonly Template[],
  specs: KernelSpec.ISpecModels | null
): string {
  const name = key.replace(/^.*\//, '');
  const first = templates.find(item => item.name === name);
  const found = Object.values(specs?.kernelspecs ?? {}).find(spec => {
    const about = Object(spec?.metadata?.gpuquota) as { template?: unknown };
    return about.template === name;
  });
  return (first && keyOf(first) === key && found?.name) || '';
}
