import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { inOrder } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';

/** Ask which session is meant; returns undefined if the user cancels. */
export async function chooseSession(
  workspace: IGpuWorkspace,
  title: string,
  fits: (session: Session) => boolean,
  trans: TranslationBundle
): Promise<Session | undefined> {
  await workspace.sessions.refresh();
  const { result } = workspace.sessions;
  if (result.status === 'error') {
    throw result.error;
  }
  const sessions =
    result.status === 'ready' ? inOrder(result.value.items).filter(fits) : [];
  if (!sessions.length) {
    await showDialog({
      title,
      body: trans.__('No session to apply this to.'),
      buttons: [Dialog.okButton()]
    });
    return undefined;
  }
  const items = sessions.map(({ spec, owner }) =>
    trans.__('%1 (%2, %3)', spec.name, spec.project, owner)
  );
  const { button, value } = await InputDialog.getItem({
    title,
    label: trans.__('Session'),
    items
  });
  return button.accept && value ? sessions[items.indexOf(value)] : undefined;
}
