import { Dialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';

/** Ask whether something that is hard to undo is meant. */
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

/** Ask whether what was typed into a form may be lost. */
export function mayLeave(trans: TranslationBundle): Promise<boolean> {
  return confirm(
    trans.__('Leave the form?'),
    [trans.__('What you have typed there is not saved.')],
    trans.__('Leave'),
    trans
  );
}
