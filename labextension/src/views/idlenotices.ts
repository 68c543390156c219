import { Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { isWarned } from '../state/idle';
import { IIdleNews } from '../state/idlenews';
import { endedText, warningText } from './idletexts';

/** How long a notice stays in sight that asks for nothing, in milliseconds. */
const IN_SIGHT = 8000;

/** Keep one notice a session: what it says holds, or it goes. */
export class IdleNotices {
  constructor(
    private _commands: CommandRegistry,
    private _trans: TranslationBundle
  ) {}

  tell({ kind, session }: IIdleNews): void {
    switch (kind) {
      case 'warned':
        this._warn(session);
        break;
      case 'over':
        this._dismiss(session.id);
        break;
      case 'ended':
        this._dismiss(session.id);
        this._tellEnd(session);
    }
  }

  private _warn(session: Session): void {
    const trans = this._trans;
    const ends = isWarned(session);
    const message = warningText(trans, session);
    const type = ends ? 'warning' : 'info';
    const stops = session.idle?.action === 'stop';
    const options: Notification.IOptions<never> = {
      autoClose: ends ? false : IN_SIGHT,
      actions: [
        ...(ends
          ? [
              this._act(session, trans.__('Keep alive'), CommandIDs.keepAlive),
              stops
                ? this._act(session, trans.__('Stop now'), CommandIDs.stop)
                : this._act(
                    session,
                    trans.__('Suspend now'),
                    CommandIDs.suspend
                  )
            ]
          : []),
        this._act(session, trans.__('Details'), CommandIDs.details)
      ]
    };
    const id = this._shown.get(session.id);
    const warned = session.idle?.warned ?? '';
    if (id && this._warned.get(session.id) === warned) {
      // Whoever has closed it knows: only what is still there says what has changed.
      Notification.update({ id, message, type, ...options });
      return;
    }
    this._dismiss(session.id);
    this._warned.set(session.id, warned);
    this._shown.set(session.id, Notification.emit(message, type, options));
  }

  private _tellEnd(session: Session): void {
    const trans = this._trans;
    Notification.emit(endedText(trans, session), 'info', {
      autoClose: false, // its owner is away
      actions: [
        this._act(session, trans.__('Resume'), CommandIDs.resume, false),
        this._act(session, trans.__('Details'), CommandIDs.details)
      ]
    });
  }

  /** Make a button. What it does may be refused or cancelled: until it counts, the notice `stays`. */
  private _act(
    { id }: Session,
    label: string,
    command: string,
    stays = true
  ): Notification.IAction {
    return {
      label,
      callback: event => {
        if (stays) {
          event.preventDefault();
        }
        void this._commands.execute(command, { id });
      }
    };
  }

  private _dismiss(session: string): void {
    const id = this._shown.get(session);
    if (id) {
      Notification.dismiss(id);
    }
    this._shown.delete(session);
  }

  /** The notice of each session that was warned, and when that was. */
  private _shown = new Map<string, string>();
  private _warned = new Map<string, string>();
}
