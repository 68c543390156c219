import { Notification } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { isWarned } from '../state/idle';
import { IIdleNews } from '../state/idlenews';
import { IGpuQuota } from '../tokens';
import { closedText, endedText, keepText, warningText } from './idletexts';

/** How long a notice stays in sight that asks for nothing, in milliseconds. */
const IN_SIGHT = 8000;

/**
 * Keep one notice a session: what it says holds, or it goes.
 *
 * `outer` is the base URL of the JupyterLab that shows the sessions.
 */
export class IdleNotices {
  constructor(
    private _quota: IGpuQuota,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle,
    private _outer: string
  ) {}

  tell(news: IIdleNews): void {
    const { session } = news;
    switch (news.kind) {
      case 'warned':
        this._warn(session);
        break;
      case 'over':
        this._dismiss(session.id);
        break;
      case 'ended':
        this._dismiss(session.id);
        this._tellEnd(session);
        break;
      case 'closed':
        this._dismiss(session.id);
        this._tellClosed(session, news.why);
    }
  }

  private _warn(session: Session): void {
    const trans = this._trans;
    const ends = isWarned(session);
    const message = warningText(trans, session);
    const type = ends ? 'warning' : 'info';
    const options: Notification.IOptions<never> = {
      autoClose: ends ? false : IN_SIGHT,
      actions: [
        ...(ends ? this._answers(session) : []),
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
    if (ends) {
      void this._learn(session, warned);
    }
  }

  /** Make the buttons that answer a warning. */
  private _answers(session: Session): Notification.IAction[] {
    const trans = this._trans;
    const keep = this._keep.get(session.id) ?? trans.__('Keep alive');
    return [
      ...(keep ? [this._act(session, keep, CommandIDs.keepAlive)] : []),
      session.idle?.action === 'stop'
        ? this._act(session, trans.__('Stop now'), CommandIDs.stop)
        : this._act(session, trans.__('Suspend now'), CommandIDs.suspend)
    ];
  }

  /** Have a notice say how long the policy keeps a session alive, if it does at all. */
  private async _learn({ id }: Session, warned: string): Promise<void> {
    const policy = await this._quota.actions.policy(id, true).catch(() => null); // the button works all the same, it only says less
    const session = this._quota.session(id);
    if (policy && session && session.idle?.warned === warned) {
      this._keep.set(id, keepText(this._trans, session, policy));
      this._warn(session);
    }
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

  /** Tell in a session's own JupyterLab, whose server is gone: only the outer one can resume it. */
  private _tellClosed(session: Session, why: string): void {
    const trans = this._trans;
    Notification.emit(closedText(trans, session, why), 'info', {
      autoClose: false,
      actions: [
        {
          label: trans.__('Go to JupyterLab'),
          caption: trans.__('It can be resumed there'),
          callback: () =>
            void window.open(URLExt.join(this._outer, 'lab'), '_blank')
        }
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
    this._keep.delete(session);
  }

  /** The notice of each session that was warned, and when that was. */
  private _shown = new Map<string, string>();
  private _warned = new Map<string, string>();
  /** What the button says that keeps a session alive, once the policy is known. */
  private _keep = new Map<string, string>();
}
