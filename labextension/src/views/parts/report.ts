import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { asApiError } from '../../api/errors';
import { errorText } from './controls';

/** JupyterLab shows notifications up to this length. */
const LONGEST = 140;

/** Return what does something, and reports why it failed where it does. */
export function doing(trans: TranslationBundle, act: () => Promise<unknown>) {
  return (): void => {
    void act().catch(error => report(trans, error));
  };
}

/** Notify the user that an action failed: what happened, and what to do. */
export function report(trans: TranslationBundle, thrown: unknown): void {
  const error = asApiError(thrown);
  // Where there is no form, the fields say what is wrong.
  const message =
    error.fields.map(field => field.message).join(' ') ||
    errorText(trans, error);
  const whole = [message, error.hint].filter(Boolean).join(' ');
  if (whole.length <= LONGEST) {
    Notification.error(whole, { autoClose: 8000 });
    return;
  }
  const showAll = () => {
    void showDialog({
      title: trans.__('Action failed'),
      body: whole,
      buttons: [Dialog.okButton()]
    });
  };
  Notification.error(`${message.slice(0, LONGEST - 1)}…`, {
    autoClose: 8000,
    actions: [{ label: trans.__('Details'), callback: showAll }]
  });
}
