import { Dialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { toResize } from '../state/advice';
import { isLive } from '../state/sessions';
import { IGpuQuota } from '../tokens';
import { plainShare } from '../views/detailtexts';

/** Start a session again with the share that is advised now, if the user confirms. */
export async function relaunch(
  { actions }: IGpuQuota,
  session: Session,
  trans: TranslationBundle
): Promise<void> {
  const { id, spec } = session;
  const { message, share } = await actions.advice(id);
  if (!share) {
    await showDialog({
      title: trans.__('No other share is advised for %1', spec.name),
      body: message,
      buttons: [Dialog.okButton()]
    });
    return;
  }
  const words = plainShare(trans, share);
  const { button } = await showDialog({
    title: trans.__('Relaunch %1 with %2?', spec.name, words),
    body: isLive(session)
      ? trans.__(
          'Its processes end, and what is only in their memory is lost, as the variables of its kernels. Files and the log stay. It then waits in line for %1.',
          words
        )
      : trans.__('It waits in line for %1 then.', words),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Relaunch') })
    ]
  });
  if (button.accept) {
    await actions.resize(id, toResize(share));
  }
}
