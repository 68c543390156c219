import { TranslationBundle } from '@jupyterlab/translation';
import { asApiError } from '../../api/errors';
import { Project, SettingsChange } from '../../api/models';
import { IGroupBase, without } from '../../state/settings/groupsubject';
import { IAdministration } from '../../tokens';
import { confirm } from '../parts/confirm';

/**
 * Delete a project once the admin has confirmed it; where it has sessions, offer to drain it.
 *
 * Returns what became of it, or undefined where the admin changed their mind; throws ApiError.
 */
export async function removeProject(
  administration: IAdministration,
  { name, revision }: Project,
  trans: TranslationBundle
): Promise<string | undefined> {
  const change = { delete: [name] };
  if (!(await isMeant(administration, name, change, trans))) {
    return undefined;
  }
  try {
    await administration.delete(name, { revision });
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.code !== 'InUse') {
      throw error;
    }
    const drains = await confirm(
      trans.__('Drain %1?', name),
      [error.message, error.hint],
      trans.__('Drain'),
      trans
    );
    if (!drains) {
      return undefined;
    }
    const answer = await administration.delete(name, { revision, drain: true });
    if (answer.project) {
      return trans.__('%1 is draining.', name);
    }
  }
  return trans.__('%1 was deleted.', name);
}

/** Delete a node group; returns and throws as `removeProject`. */
export async function removeGroup(
  administration: IAdministration,
  { group, groups: all }: IGroupBase,
  trans: TranslationBundle
): Promise<string | undefined> {
  if (!group) {
    return undefined;
  }
  const groups = without(all, group);
  if (!(await isMeant(administration, group.name, { groups }, trans))) {
    return undefined;
  }
  await administration.putGroups({ groups, revision: all.revision });
  return trans.__('%1 was deleted.', group.name);
}

/** Show the effect of a deletion and ask for confirmation. */
async function isMeant(
  administration: IAdministration,
  name: string,
  change: SettingsChange,
  trans: TranslationBundle
): Promise<boolean> {
  const { message, warnings } = await administration.preview(change);
  return confirm(
    trans.__('Delete %1?', name),
    [message, ...warnings],
    trans.__('Delete'),
    trans
  );
}
