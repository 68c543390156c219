import {
  Clipboard,
  Dialog,
  InputDialog,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { PinRequest, Version } from '../../api/models';
import { shortId } from '../../state/datasets/references';
import { Form } from '../parts/form';
import { clockText } from '../parts/texts';

/** Ask until when and why a copy is to be kept; null if the user cancels. */
export async function askForPin(
  trans: TranslationBundle,
  reference: string
): Promise<PinRequest | null> {
  const body = new Form<'until' | 'why'>({
    until: {
      label: trans.__('Until'),
      placeholder: trans.__('E.g. 7d or 2026-12-31; empty = for ever')
    },
    why: { label: trans.__('Why') }
  });
  const { button, value } = await showDialog<PinRequest>({
    title: trans.__('Pin %1', reference),
    body,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Pin') })
    ]
  });
  return button.accept ? value : null;
}

/** Copy a text, and say so. */
export function copy(trans: TranslationBundle, text: string): void {
  Clipboard.copyToSystem(text);
  Notification.info(trans.__('Copied: %1', text.split('\n').pop()), {
    autoClose: 3000
  });
}

/** Ask for a tag; null if the user cancels. */
export async function askForTag(
  trans: TranslationBundle,
  version: Version
): Promise<string | null> {
  const { button, value } = await InputDialog.getText({
    title: trans.__('Tag %1', `${version.dataset}@${shortId(version)}`),
    label: trans.__('Tag')
  });
  return button.accept ? value?.trim() || null : null;
}

/** Ask which of several texts is meant; null if the user cancels. */
export async function choose(
  title: string,
  label: string,
  items: readonly string[]
): Promise<number | null> {
  const { button, value } = await InputDialog.getItem({
    title,
    label,
    items: [...items]
  });
  return button.accept && value ? items.indexOf(value) : null;
}

/** Ask which version is meant; null if the user cancels. */
export async function chooseVersion(
  trans: TranslationBundle,
  title: string,
  versions: readonly Version[]
): Promise<Version | null> {
  const items = versions.map(version =>
    [
      shortId(version),
      version.tags.join(', '),
      version.message,
      clockText(version.time)
    ]
      .filter(Boolean)
      .join(' · ')
  );
  const index = await choose(title, trans.__('Version'), items);
  return index === null ? null : versions[index];
}
