import { TranslationBundle } from '@jupyterlab/translation';
import { Reclaim } from '../../api/models';

/** Name the session that GPUs were taken back for: of other teams only the project is known. */
export function takerText(
  trans: TranslationBundle,
  { name, project }: Pick<Reclaim, 'name' | 'project'>
): string {
  return name
    ? trans.__('%1 (%2)', name, project)
    : trans.__('a %1 session', project);
}
