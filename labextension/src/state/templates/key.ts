import { KernelSpec } from '@jupyterlab/services';
import { Template } from '../../api/models';

/** What identifies a template among those that a user sees. */
export function keyOf({ scope, name }: Template): string {
  return `${scope}/${name}`;
}

/**
 * Return whether notebooks can run on a template, as `of_templates` of the server has it.
 *
 * Of templates with the same name, only the first has a kernel.
 */
export function hasKernel(
  key: string,
  templates: readonly Template[]
): boolean {
  const first = templates.find(item => item.name === nameOf(key));
  return !!first && keyOf(first) === key && !first.request.command.length;
}

/** Return the name of the kernelspec that launches a template; empty where there is none. */
export function kernelOf(
  key: string,
  templates: readonly Template[],
  specs: KernelSpec.ISpecModels | null
): string {
  const found = Object.values(specs?.kernelspecs ?? {}).find(spec => {
    const about = Object(spec?.metadata?.gpuquota) as { template?: unknown };
    return about.template === nameOf(key);
  });
  return (hasKernel(key, templates) && found?.name) || '';
}

const nameOf = (key: string): string => key.replace(/^.*\//, '');
