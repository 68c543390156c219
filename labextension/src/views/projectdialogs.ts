import { Dialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { asApiError } from '../api/errors';
import { Project, ProjectAnswer } from '../api/models';
import { IAdministration } from '../tokens';

/**
 * Delete a project once the admin has confirmed it; where it has sessions, offer to drain it.
 *
 * Returns undefined where the admin changed their mind; throws ApiError.
 */
export async function removeProject(
  administration: IAdministration,
  { name, revision }: Project,
  trans: TranslationBundle
): Promise<ProjectAnswer | undefined> {
  const { message, warnings } = await administration.preview({
    delete: [name]
  });
  const isMeant = await confirm(
    trans.__('Delete %1?', name),
    [message, ...warnings],
    trans.__('Delete'),
    trans
  );
  if (!isMeant) {
    return undefined;
  }
  try {
    return await administration.delete(name, { revision });
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
    return drains
      ? administration.delete(name, { revision, drain: true })
      : undefined;
  }
}

async function confirm(
  title: string,
  lines: readonly string[],
  label: string,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title,
    body: lines.filter(Boolean).join(' '),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({ label })
    ]
  });
  return button.accept;
}

/** Ask whether what was typed into a form may be lost. */
export function mayLeave(trans: TranslationBundle): Promise<boolean> {
  return confirm(
    trans.__('Leave the form?'),
    [trans.__('What you have typed there is not saved.')],
    trans.__('Leave'),
    trans
  );
}
