import { Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { isWarned } from '../../state/idle/idle';
import { IIdleEvent } from '../../state/idle/events';
import { can } from '../../state/sessions';
import { IGpuWorkspace } from '../../tokens';
import { keepText, warningText } from './texts';
import { LONGEST, shorten, togetherText } from '../notices/texts';

/** How long a notice without questions stays visible, in milliseconds. */
const IN_SIGHT = 8000;

/**
 * Keep one notice a warned session, and one of all that were ended, so that these leave room for
 * the warnings: what a notice says holds, or it goes.
 */
export class IdleNotices {
  constructor(
    private _workspace: IGpuWorkspace,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle
  ) {}

  show(news: readonly IIdleEvent[]): void {
    if (!Notification.manager.has(this._endNotice)) {
      this._ended.clear(); // the user has closed it, or resumed from it
    }
    const ends = news.map(item => this._note(item));
    if (ends.includes(true)) {
      this._showEnds();
    }
  }

  /** Show one event; return whether it is an end, which share one notice. */
  private _note(news: IIdleEvent): boolean {
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
      // A notice that the user has closed is not shown again for the same warning.
      Notification.update({ id, message, type, ...options });
      return;
    }
    this._dismiss(session.id);
    this._warned.set(session.id, warned);
    this._shown.set(session.id, Notification.emit(message, type, options));
    if (ends) {
      void this._addKeepLabel(session, warned);
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

  /** Add to a notice how long the policy keeps a session alive, if at all. */
  private async _addKeepLabel({ id }: Session, warned: string): Promise<void> {
    const policy = await this._workspace.actions
      .policy(id, true)
      .catch(() => null); // the button works all the same, it only says less
    const session = this._workspace.session(id);
    if (policy && session && session.idle?.warned === warned) {
      this._keep.set(id, keepText(this._trans, session, policy));
      this._warn(session);
    }
  }

  /** Show one notice of all sessions that ended and have not restarted. */
  private _showEnds(): void {
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
          .then(() => this._workspace.reveal(id));
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

/** Return the notice of sessions that ended because they were idle, as many by name as fit. */
export function endedTogetherText(
  trans: TranslationBundle,
  sessions: readonly Session[]
): string {
  return togetherText(
    trans,
    trans.__('%1 sessions ended because they were idle', sessions.length),
    sessions
  );
}

/** Return the notice of a session that ended because it was idle: which rule, and what is kept. */
export function endedText(trans: TranslationBundle, session: Session): string {
  const message = session.reason?.message ?? '';
  const [what, why, ...rest] = sentences(
    trans.__('%1: %2', session.spec.name, message)
  );
  const kept = trans.__('Files and settings are kept.');
  const wholes = [
    [what, why, ...rest, kept],
    [what, ...rest, kept],
    [what, ...rest]
  ].map(parts => parts.filter(Boolean).join(' '));
  return wholes.find(text => text.length <= LONGEST) ?? clipped(wholes[0]);
}

/** Return what a notice has room for: whole sentences if one fits. */
function clipped(text: string): string {
  if (text.length <= LONGEST) {
    return text;
  }
  const end = text.lastIndexOf('. ', LONGEST - 1) + 1;
  return end ? text.slice(0, end) : shorten(text);
}

function sentences(text: string): string[] {
  return text.split(/(?<=\.) /);
}
