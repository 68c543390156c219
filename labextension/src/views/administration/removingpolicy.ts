import { TranslationBundle } from '@jupyterlab/translation';
import { PolicyRequest } from '../../api/models';
import {
  IExemptionBase,
  ILevelBase,
  previewPolicy,
  withoutExemption,
  withoutLevel
} from '../../state/settings/policysubject';
import { IAdministration } from '../../tokens';
import { confirm } from '../parts/confirm';
import { NameOf, whoText } from '../parts/sessionnames';

/** Delete what a level sets; returns and throws as `removeProject`. */
export async function removeLevel(
  administration: IAdministration,
  base: ILevelBase,
  trans: TranslationBundle
): Promise<string | undefined> {
  const name = base.level?.level ?? '';
  const done = await put(administration, name, withoutLevel(base), trans);
  return done ? trans.__('%1 was deleted.', name) : undefined;
}

/** Delete an exemption; returns and throws as `removeProject`. */
export async function removeExemption(
  administration: IAdministration,
  base: IExemptionBase,
  nameOf: NameOf,
  trans: TranslationBundle
): Promise<string | undefined> {
  const name = whoText(base.exemption?.who ?? '', nameOf);
  const done = await put(administration, name, withoutExemption(base), trans);
  return done ? trans.__('The exemption of %1 was removed.', name) : undefined;
}

/** Show what the policy would have done over the last week, ask for confirmation and apply it. */
async function put(
  administration: IAdministration,
  name: string,
  request: PolicyRequest,
  trans: TranslationBundle
): Promise<boolean> {
  const { message } = await previewPolicy(administration, request);
  const isMeant = await confirm(
    trans.__('Delete %1?', name),
    [message],
    trans.__('Delete'),
    trans
  );
  if (isMeant) {
    await administration.putPolicy(request);
  }
  return isMeant;
}
