import { Dialog, Notification } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { savedText } from './endtexts';

/**
 * Explain in a session's own JupyterLab that the session was ended, and tell when it runs again.
 *
 * `outer` is the base URL of the JupyterLab that can resume it; `isSaved` tells whether what is
 * open was saved, and null if that is not known.
 */
export class EndHere {
  constructor(
    private _trans: TranslationBundle,
    private _outer: string,
    private _isSaved: () => boolean | null
  ) {}

  /**
   * Say why it was ended, in the words of its ingress.
   *
   * JupyterLab takes the end for kernels that died. What it says of that makes way, as does every
   * other dialog: none can do anything any more, and dialogs wait for each other.
   */
  explain({ spec }: Session, why: string): void {
    const trans = this._trans;
    const saved = savedText(trans, this._isSaved());
    const dialog = new Dialog({
      title: trans.__('%1 does not run any more', spec.name),
      body: [why, saved].filter(Boolean).join(' '),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Stay here') }),
        Dialog.okButton({
          label: trans.__('Go to JupyterLab'),
          caption: trans.__('It can be resumed there')
        })
      ]
    });
    this._dialog = dialog;
    rejectOthers(dialog);
    dialog.disposed.connect(() => rejectOthers(dialog));
    Dialog.tracker.widgetAdded.connect(rejectKernelError);
    void dialog.launch().then(({ button }) => {
      if (button.accept) {
        window.open(URLExt.join(this._outer, 'lab'), '_blank');
      }
    });
  }

  /** Say that it runs again, if its end was explained: pages of before do not reach it. */
  tellBack({ spec }: Session): void {
    if (!this._dialog) {
      return;
    }
    const trans = this._trans;
    Dialog.tracker.widgetAdded.disconnect(rejectKernelError);
    this._dialog.reject();
    this._dialog = undefined;
    Notification.emit(
      trans.__('%1 runs again. Reload this page to work in it.', spec.name),
      'success',
      {
        autoClose: false,
        actions: [
          {
            label: trans.__('Reload'),
            callback: () => window.location.reload()
          }
        ]
      }
    );
  }

  private _dialog?: Dialog<unknown>;
}

/** Close all dialogs but one, as if they had been cancelled; those, too, that wait for it. */
function rejectOthers(dialog: Dialog<unknown>): void {
  Dialog.tracker
    .filter(other => other !== dialog)
    .forEach(other => other.reject());
}

/** Close what JupyterLab says of each kernel, once that can be told from its title. */
function rejectKernelError(_: unknown, dialog: Dialog<unknown>): void {
  void dialog.ready.then(() => {
    const trans = Dialog.translator.load('jupyterlab');
    const header = dialog.node.querySelector('.jp-Dialog-header');
    if (header?.textContent === trans.__('Error Starting Kernel')) {
      dialog.reject();
    }
  });
}
