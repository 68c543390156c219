import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { inOrder } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';
import { endText } from '../views/details/loss';

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

/**
 * Ask for confirmation before a session is ended, unless the user has turned that off. For a session
 * of somebody else it is always asked: the list from which it was chosen has everybody's.
 */
export async function confirmEnd(
  workspace: IGpuWorkspace,
  session: Session,
  goal: 'stop' | 'suspend',
  trans: TranslationBundle
): Promise<boolean> {
  const { preferences } = workspace;
  const isMine = !isOfAnother(workspace, session);
  const isQueued = session.state === 'waiting';
  if (isMine && (!preferences.values.confirmStop || isQueued)) {
    return true;
  }
  const { spec, owner } = session;
  const name = isMine ? spec.name : trans.__('%1 of %2', spec.name, owner);
  const { button, isChecked } = await showDialog({
    title:
      goal === 'stop'
        ? trans.__('Stop %1?', name)
        : trans.__('Suspend %1?', name),
    body: isQueued
      ? trans.__(
          'The session leaves the queue. Its files and settings are kept.'
        )
      : endText(session, trans),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({
        label: goal === 'stop' ? trans.__('Stop') : trans.__('Suspend')
      })
    ],
    checkbox: isMine ? { label: trans.__("Don't ask again") } : null
  });
  if (button.accept && isMine && isChecked) {
    await preferences.set('confirmStop', false);
  }
  return button.accept;
}

function isOfAnother({ about }: IGpuWorkspace, { owner }: Session): boolean {
  const { result } = about;
  return result.status === 'ready' && result.value.user !== owner;
}
