import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Session } from '../api/models';
import { IGpuWorkspace } from '../tokens';
import { endQuestion, Goal } from '../views/details/loss';
import type { IUi } from '../views/parts/ui';

/**
 * Stop or suspend a session once the user has confirmed it.
 *
 * For a session of somebody else it is always asked, and why: the list from which it was chosen has
 * everybody's.
 */
export async function endSession(
  ui: IUi,
  session: Session,
  goal: Goal
): Promise<void> {
  if (isOfAnother(ui.workspace, session)) {
    const { endOfAnother } = await import(
      /* webpackChunkName: "storage" */ '../views/details/endform'
    );
    await endOfAnother(ui, session, goal);
  } else if (await confirmEnd(ui, session, goal)) {
    await ui.workspace.actions[goal](session.id);
  }
}

/** Ask for confirmation, unless the user has turned that off or the session is only queued. */
async function confirmEnd(
  { workspace, trans }: IUi,
  session: Session,
  goal: Goal
): Promise<boolean> {
  const { preferences } = workspace;
  if (!preferences.values.confirmStop || session.state === 'waiting') {
    return true;
  }
  const { title, body, label } = endQuestion(trans, session, goal);
  const { button, isChecked } = await showDialog({
    title,
    body,
    buttons: [Dialog.cancelButton(), Dialog.warnButton({ label })],
    checkbox: { label: trans.__("Don't ask again") }
  });
  if (button.accept && isChecked) {
    await preferences.set('confirmStop', false);
  }
  return button.accept;
}

function isOfAnother({ about }: IGpuWorkspace, { owner }: Session): boolean {
  const { result } = about;
  return result.status === 'ready' && result.value.user !== owner;
}
