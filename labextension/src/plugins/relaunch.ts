import { Dialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { toResize } from '../state/advice';
import { IGpuWorkspace } from '../tokens';
import { lossText } from '../views/details/loss';
import { shareText } from '../views/parts/texts';

/** Start a session again with the share that is advised now, if the user confirms. */
export async function relaunch(
  { actions }: IGpuWorkspace,
  session: Session,
  trans: TranslationBundle
): Promise<void> {
  const { id, spec } = session;
  const { message, share } = await actions.advice(id);
  if (!share) {
    await showDialog({
      title: trans.__('No other size is recommended for %1', spec.name),
      body: message,
      buttons: [Dialog.okButton()]
    });
    return;
  }
  const words = shareText(trans, share);
  const { button } = await showDialog({
    title: trans.__('Relaunch %1 with %2?', spec.name, words),
    body: lossText(session, words, trans),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Relaunch') })
    ]
  });
  if (button.accept) {
    await actions.resize(id, toResize(share));
  }
}
