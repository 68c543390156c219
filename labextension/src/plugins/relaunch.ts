import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session, Share } from '../api/models';
import { toResize } from '../state/advice';
import { isLive } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';
import { shareText } from '../views/parts/texts';
import type { IUi } from '../views/parts/ui';

/** Return what is lost, and what comes then, if a session is started with another share. */
function lossText(
  session: Session,
  words: string,
  trans: TranslationBundle
): string {
  return isLive(session)
    ? trans.__(
        'Open notebooks are saved first; kernel memory is lost. Files and the log are kept. The session is then queued for %1.',
        words
      )
    : trans.__('The session is then queued for %1.', words);
}

/** Shares in GPUs that can be chosen. */
const SIZES = [0.25, 0.5, 1, 2, 4, 8];

/** Start a session again with a larger share that the user chooses, told what is lost. */
export async function useLargerShare(
  { workspace, trans }: IUi,
  session: Session
): Promise<void> {
  const { id, spec } = session;
  const held = spec.share.milli || sliceMilli(session);
  const shares = SIZES.map(size => ({
    ...NO_SHARE,
    milli: size * 1000
  })).filter(({ milli }) => milli > held);
  const labels = shares.map(share => shareText(trans, share));
  const title = trans.__('Use a larger share for %1', spec.name);
  const { button, value } = await InputDialog.getItem({
    title,
    label: [
      lossText(session, trans.__('the new share'), trans),
      trans.__(
        'To keep variables, run %gpu resize --keep in the notebook instead.'
      )
    ].join(' '),
    items: labels,
    okLabel: trans.__('Relaunch')
  });
  const chosen = shares[labels.indexOf(value ?? '')];
  if (button.accept && chosen) {
    await workspace.actions.resize(id, toResize(chosen));
  }
}

const NO_SHARE: Share = { milli: 0, memory: 0, compute: 0, mig: '' };

/** Return what a session that asked for memory holds, in milli-GPU. */
function sliceMilli({ placement }: Session): number {
  return placement?.slices.reduce((sum, slice) => sum + slice.milli, 0) ?? 0;
}

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
