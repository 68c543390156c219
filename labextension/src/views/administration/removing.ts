import { TranslationBundle } from '@jupyterlab/translation';
import { asApiError } from '../../api/errors';
import { PolicyRequest, Project } from '../../api/models';
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
  const isMeant = await confirm(
    trans.__('Delete %1?', name),
    [trans.__('Its settings and its idle policy are deleted.')],
    trans.__('Delete'),
    trans
  );
  if (!isMeant) {
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

/**
 * Delete a part of the policy once the admin has confirmed it, who sees what the policy without it
 * would have done over the last week.
 *
 * Returns whether it was deleted; throws ApiError.
 */
export async function removePart(
  administration: IAdministration,
  name: string,
  without: PolicyRequest,
  trans: TranslationBundle
): Promise<boolean> {
  const { text } = await administration.previewPolicy(without);
  const isMeant = await confirm(
    trans.__('Delete %1?', name),
    [text],
    trans.__('Delete'),
    trans
  );
  if (isMeant) {
    await administration.putPolicy(without);
  }
  return isMeant;
}
