import { Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { endingText, isTakenBack } from './texts';

const SECOND = 1000;
/** From when on every second is shown; before, every fifth: readers read each aloud. */
const LAST = 10;

/** What of the open documents a notice shows, and what it does with them. */
export interface IDocuments {
  readonly unsaved: number;
  giveBack(): Promise<void>;
}

/** The notice in the page of a session that counts down to its end. */
export class EndingNotice {
  constructor(
    private _trans: TranslationBundle,
    private _documents: IDocuments | null
  ) {}

  /** Show what is about to happen to a session, or what has changed about it. */
  show(session: Session): void {
    this._session = session;
    this._draw();
    this._timer ??= window.setInterval(() => this._draw(), SECOND);
  }

  /** Take it away. */
  dismiss(): void {
    window.clearInterval(this._timer);
    this._timer = undefined;
    this._session = undefined;
    this._said = '';
    if (this._id) {
      Notification.dismiss(this._id);
      this._id = '';
    }
  }

  private _draw(): void {
    const session = this._session;
    if (!session) {
      return;
    }
    const unsaved = this._documents?.unsaved ?? 0;
    const taken = isTakenBack(session);
    // What is saved in a moment needs no notice.
    if (!taken && !(unsaved && session.ending?.saved === 'unsaved')) {
      return;
    }
    const now = Date.now();
    const left = (Date.parse(session.ending?.by ?? '') - now) / SECOND;
    const step = left > LAST ? 5 : 1;
    const at = now + (left - Math.ceil(left / step) * step) * SECOND;
    const message = endingText(this._trans, session, unsaved, at);
    if (message !== this._said) {
      this._said = message;
      this._emit(message, session);
    }
  }

  private _emit(message: string, session: Session): void {
    const give = {
      label: this._trans.__('Release now'),
      caption: this._trans.__('Save everything, then end this session'),
      callback: (event: MouseEvent) => {
        event.preventDefault(); // it goes with the session
        void this._documents?.giveBack();
      }
    };
    const options: Notification.IOptions<never> = {
      autoClose: false,
      actions: isTakenBack(session) && this._documents ? [give] : []
    };
    const id = this._id;
    if (!id) {
      this._id = Notification.emit(message, 'warning', options);
    } else {
      // A notice that the user has closed stays closed.
      Notification.update({ id, message, type: 'warning', ...options });
    }
  }

  private _id = '';
  private _said = '';
  private _session?: Session;
  private _timer?: number;
}
