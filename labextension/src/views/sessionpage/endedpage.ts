import { Dialog, Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { canResume, endedText, endedTitle } from './texts';

/** What the page of a session has to do with its end. */
export interface IEndedPage {
  /** How many open documents have changes that are only here; null where that is not known. */
  readonly unsaved: number | null;
  /** Save them; resolves to how many could not be saved. */
  save(): Promise<number>;
  /** Go to the JupyterLab that shows the session. */
  leave(): void;
  /** Resume the session; throws ApiError. */
  resume(): Promise<unknown>;
  /** Reload the page for the session that is running again. */
  reload(session: Session): void;
}

/**
 * The one explanation of a session's end in its own page, whatever the reason, with the way back.
 *
 * JupyterLab takes the end for kernels that died and files that cannot be saved. What it says of
 * that makes way, as does every other dialog: none can do anything any more, and dialogs wait for
 * each other.
 */
export class EndHere {
  constructor(
    private _trans: TranslationBundle,
    private _here: IEndedPage,
    private _report: (error: unknown) => void
  ) {}

  /** Explain the session's end, in its ingress's words unless the session itself has a reason. */
  explain(session: Session, why: string): void {
    const trans = this._trans;
    this._resumable = canResume(session) ? session : undefined;
    const dialog = new Dialog({
      title: endedTitle(trans, session),
      body: endedText(trans, session, why, this._here.unsaved),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Stay here') }),
        Dialog.createButton({
          label: trans.__('Back to JupyterLab'),
          accept: false,
          actions: ['leave']
        }),
        ...(canResume(session)
          ? [Dialog.okButton({ label: trans.__('Resume') })]
          : [])
      ]
    });
    this._dialog = dialog;
    rejectOthers(dialog);
    dialog.disposed.connect(() => rejectOthers(dialog));
    Dialog.tracker.widgetAdded.connect(rejectAftermath);
    void dialog.launch().then(({ button }) => {
      if (this._dialog === dialog) {
        this._choose(session, button);
      }
    });
  }

  /** Whether the session has ended, and nobody has resumed it from here. */
  get isResumable(): boolean {
    return this._resumable !== undefined;
  }

  /** Resume the session; the page follows automatically. */
  async resume(): Promise<void> {
    const session = this._resumable;
    if (!session) {
      return;
    }
    this._resumable = undefined; // it is asked for once
    const { name } = session.spec;
    this._say(
      this._trans.__(
        '%1 is resuming. This page will reconnect automatically.',
        name
      ),
      'in-progress'
    );
    try {
      await this._here.resume();
    } catch (error) {
      this._report(error);
      this._resumable = session;
      this._remind(session);
    }
  }

  /** Take everything back that was said: the session is there. */
  dismiss(): void {
    Dialog.tracker.widgetAdded.disconnect(rejectAftermath);
    this._resumable = undefined;
    const dialog = this._dialog;
    this._dialog = undefined;
    dialog?.reject();
    this._unsay();
  }

  /**
   * Reconnect this page to the session that is running again: save what is only here, then
   * reload it. The earlier kernels are gone; its tabs come back with it.
   */
  async reconnect(session: Session): Promise<void> {
    this.dismiss();
    const trans = this._trans;
    const unsaved = await this._here.save();
    if (!unsaved) {
      this._here.reload(session);
      return;
    }
    const message = trans._n(
      '%2 is running again, but %1 document could not be saved. Copy what you need, then reload.',
      '%2 is running again, but %1 documents could not be saved. Copy what you need, then reload.',
      unsaved,
      session.spec.name
    );
    const again = {
      label: trans.__('Try again'),
      callback: () => void this.reconnect(session)
    };
    const reload = {
      label: trans.__('Reload'),
      callback: () => this._here.reload(session)
    };
    this._say(message, 'error', [again, reload]);
  }

  private _choose(session: Session, button: Dialog.IButton): void {
    if (button.actions.includes('leave')) {
      this._here.leave();
    }
    if (button.accept) {
      void this.resume();
    } else {
      this._remind(session);
    }
  }

  /** Keep the way back visible for users who stay. */
  private _remind(session: Session): void {
    const trans = this._trans;
    const { name } = session.spec;
    const resume = {
      label: trans.__('Resume'),
      callback: (event: MouseEvent) => {
        event.preventDefault(); // another notice takes its place
        void this.resume();
      }
    };
    if (canResume(session)) {
      const message = trans.__(
        '%1 is not running: nothing can be saved here.',
        name
      );
      this._say(message, 'warning', [resume]);
    } else {
      this._say(
        trans.__(
          '%1 is queued. This page will reconnect automatically when it starts.',
          name
        ),
        'in-progress'
      );
    }
  }

  /** Show one notice, in the place of the one before. */
  private _say(
    message: string,
    type: Notification.TypeOptions,
    actions: Notification.IAction[] = []
  ): void {
    this._unsay();
    this._notice = Notification.emit(message, type, {
      autoClose: false,
      actions
    });
  }

  private _unsay(): void {
    if (this._notice) {
      Notification.dismiss(this._notice);
      this._notice = '';
    }
  }

  private _dialog?: Dialog<unknown>;
  private _notice = '';
  private _resumable?: Session;
}

/** Close all dialogs but one, as if they had been cancelled; those, too, that wait for it. */
function rejectOthers(dialog: Dialog<unknown>): void {
  Dialog.tracker
    .filter(other => other !== dialog)
    .forEach(other => other.reject());
}

/** Close JupyterLab's own dialogs about kernels and files, recognised by their titles. */
function rejectAftermath(_: unknown, dialog: Dialog<unknown>): void {
  void dialog.ready.then(() => {
    const trans = Dialog.translator.load('jupyterlab');
    const title =
      dialog.node.querySelector('.jp-Dialog-header')?.textContent ?? '';
    const [before, after] = trans
      .__('File Save Error for %1', '\n')
      .split('\n');
    const isFile = title.startsWith(before) && title.endsWith(after ?? '');
    const isKernel = [
      trans.__('Error Starting Kernel'),
      trans.__('Kernel Restarting')
    ].includes(title);
    if (isFile || isKernel) {
      dialog.reject();
    }
  });
}
