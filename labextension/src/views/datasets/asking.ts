import { routes } from '../../api/routes';
import { latest } from '../../state/resource';
import { IUi } from '../parts/ui';
import { choose, chooseVersion } from './dialogs';

/** Ask which version of which dataset is meant, or which two; null if the user cancels. */
export async function askForPlace(
  { trans, workspace }: IUi,
  isPair: boolean
): Promise<{
  dataset: string;
  version: string;
  other: string;
  path: string;
} | null> {
  const { items } = await latest(workspace.resource('datasets'));
  const names = items.map(({ name }) => name);
  const index = await choose(
    trans.__('Which dataset?'),
    trans.__('Dataset'),
    names
  );
  if (index === null) {
    return null;
  }
  const dataset = names[index];
  const args = { dataset };
  const page = await workspace.call(routes.versionsList, { args });
  const first = await chooseVersion(
    trans,
    isPair ? trans.__('Earlier version') : trans.__('Which version?'),
    page.items
  );
  if (!first) {
    return null;
  }
  const other = isPair
    ? await chooseVersion(trans, trans.__('Later version'), page.items)
    : undefined;
  return other === null
    ? null
    : { dataset, version: first.id, other: other?.id ?? '', path: '' };
}
