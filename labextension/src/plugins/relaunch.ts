import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Session } from '../api/models';
import { toResize } from '../state/advice';
import { shareText } from '../views/parts/texts';
import type { IUi } from '../views/parts/ui';

/** Start a session again with the share that is advised now, if the user confirms. */
export async function relaunch(ui: IUi, session: Session): Promise<void> {
  const { trans, workspace } = ui;
  const { id, spec } = session;
  const { message, share } = await workspace.actions.advice(id);
  if (!share) {
    await showDialog({
      title: trans.__('No other size is recommended for %1', spec.name),
      body: message,
      buttons: [Dialog.okButton()]
    });
    return;
  }
  const { restart } = await import(
    /* webpackChunkName: "storage" */ '../views/details/restart'
  );
  const words = shareText(trans, share);
  await restart(ui, session, {
    title: trans.__('Relaunch %1 with %2?', spec.name, words),
    words,
    initial: {},
    request: () => toResize(share)
  });
}
