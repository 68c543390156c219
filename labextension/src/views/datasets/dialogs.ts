import {
  Clipboard,
  Dialog,
  InputDialog,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { PinRequest, Version } from '../../api/models';
import {
  cacheCommand,
  referenceTo,
  shortId
} from '../../state/datasets/references';
import { clockText } from '../parts/texts';

/** Ask until when and why a copy is to be kept; null if the user cancels. */
export async function askForPin(
  trans: TranslationBundle,
  reference: string
): Promise<PinRequest | null> {
  const body = new PinForm(trans);
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

/** Two fields of a dialog: until when, and why. */
class PinForm extends Widget implements Dialog.IBodyWidget<PinRequest> {
  constructor(trans: TranslationBundle) {
    super();
    this.addClass('jp-GpuQuota-dialogForm');
    this._until = this._field(
      trans.__('Until'),
      trans.__('E.g. 7d or 2026-12-31; empty = for ever'),
      ''
    );
    this._why = this._field(trans.__('Why'), '', '');
  }

  getValue(): PinRequest {
    return { until: this._until.value.trim(), why: this._why.value.trim() };
  }

  private _field(
    label: string,
    placeholder: string,
    value: string
  ): HTMLInputElement {
    const field = document.createElement('label');
    const input = document.createElement('input');
    input.className = 'jp-mod-styled';
    Object.assign(input, { placeholder, value });
    field.append(label, input);
    this.node.append(field);
    return input;
  }

  private _until: HTMLInputElement;
  private _why: HTMLInputElement;
}

/** Explain that only the user's own processes can fetch a version, and with which command. */
export async function sayRunYourself(
  trans: TranslationBundle,
  version: Version
): Promise<void> {
  const command = cacheCommand(referenceTo(version));
  const body = new Widget();
  const text = document.createElement('p');
  text.textContent = trans.__(
    'This dataset is in a lake of its own, for which only its members have credentials. Run this in a terminal where yours are set:'
  );
  const code = document.createElement('pre');
  code.textContent = command;
  body.node.append(text, code);
  const { button } = await showDialog({
    title: trans.__('Cache it from a terminal'),
    body,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Close') }),
      Dialog.okButton({ label: trans.__('Copy command') })
    ]
  });
  if (button.accept) {
    copy(trans, command);
  }
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
