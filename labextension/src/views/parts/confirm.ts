import { Dialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';

/** Ask for confirmation of something that is hard to undo. */
export async function confirm(
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

/** Ask whether the input of a form may be discarded. */
export function mayLeave(trans: TranslationBundle): Promise<boolean> {
  return confirm(
    trans.__('Leave the form?'),
    [trans.__('Your input is not saved.')],
    trans.__('Leave'),
    trans
  );
}
