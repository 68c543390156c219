import { Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { isWarned } from '../state/idle';
import { IIdleNews } from '../state/idlenews';
import { can } from '../state/sessions';
import { IGpuQuota } from '../tokens';
import { EndHere } from './endhere';
import { endedTogetherText } from './endtexts';
import { endedText, keepText, warningText } from './idletexts';

/** How long a notice stays in sight that asks for nothing, in milliseconds. */
const IN_SIGHT = 8000;

/**
 * Keep one notice a warned session, and one of all that were ended, so that these leave room for
 * the warnings: what a notice says holds, or it goes. The end of the session whose own JupyterLab
 * this is is explained apart, `here`.
 */
export class IdleNotices {
  constructor(
    private _quota: IGpuQuota,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle,
    private _here: EndHere
  ) {}

  tell(news: readonly IIdleNews[]): void {
    if (!Notification.manager.has(this._endNotice)) {
      this._ended.clear(); // whoever has closed it, or resumed from it, knows
    }
    const ends = news.map(item => this._note(item));
    if (ends.includes(true)) {
      this._tellEnds();
    }
  }

  /** Tell one of the news; return whether it is about an end, which is told of all at once. */
  private _note(news: IIdleNews): boolean {
    const { session } = news;
    switch (news.kind) {
      case 'warned':
        this._warn(session);
        return false;
      case 'over':
        this._dismiss(session.id);
        return this._ended.delete(session.id);
      case 'ended':
        this._dismiss(session.id);
        this._ended.set(session.id, session);
        return true;
      case 'closed':
        this._dismiss(session.id);
        this._here.explain(session, news.why);
        return false;
      case 'back':
        this._here.tellBack(session);
        return false;
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
    const stops = session.idle?.action === 'stop';
    return [
      ...(keep && can(session, 'keep_alive')
        ? [this._act(session, keep, CommandIDs.keepAlive)]
        : []),
      ...(stops && can(session, 'stop')
        ? [this._act(session, trans.__('Stop now'), CommandIDs.stop)]
        : []),
      ...(!stops && can(session, 'suspend')
        ? [this._act(session, trans.__('Suspend now'), CommandIDs.suspend)]
        : [])
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

  /** Say in one notice which sessions were ended and do not run again. */
  private _tellEnds(): void {
    const [first, ...rest] = this._ended.values();
    if (!first) {
      Notification.dismiss(this._endNotice);
      return;
    }
    const message = rest.length
      ? endedTogetherText(this._trans, [first, ...rest])
      : endedText(this._trans, first);
    const options: Notification.IOptions<never> = {
      autoClose: false, // its owner is away
      actions: rest.length ? [this._show(first)] : this._resumes(first)
    };
    const id = this._endNotice;
    if (!Notification.update({ id, message, ...options })) {
      this._endNotice = Notification.emit(message, 'info', options);
    }
  }

  /** Make the buttons that answer the end of one session. */
  private _resumes(session: Session): Notification.IAction[] {
    const trans = this._trans;
    return [
      this._act(session, trans.__('Resume'), CommandIDs.resume, false),
      this._act(session, trans.__('Details'), CommandIDs.details)
    ];
  }

  /** Make the button that leads to where each of several sessions can be resumed. */
  private _show({ id }: Session): Notification.IAction {
    return {
      label: this._trans.__('Show them'),
      caption: this._trans.__('Each can be resumed in the GPU Workspace'),
      callback: event => {
        event.preventDefault(); // it goes once they run again
        void this._commands
          .execute(CommandIDs.showPanel)
          .then(() => this._quota.reveal(id));
      }
    };
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
  /** The sessions that were ended, in that order, and the notice that tells of them. */
  private _ended = new Map<string, Session>();
  private _endNotice = '';
  /** What the button says that keeps a session alive, once the policy is known. */
  private _keep = new Map<string, string>();
}
