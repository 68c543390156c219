import { Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { INotice, NoticeBoard } from '../../state/notices/board';
import { INews, NoticeKind } from '../../state/notices/events';
import { SWITCH } from '../../state/notices/switches';
import { can } from '../../state/sessions';
import { IGpuWorkspace } from '../../tokens';
import { noticeText, noticeTogetherText, shorten } from './texts';

const TYPES: Record<NoticeKind, Notification.TypeOptions> = {
  ready: 'success',
  failed: 'error',
  waiting: 'info',
  reclaimed: 'warning',
  ending: 'warning',
  ended: 'warning'
};
/** How long a notice stays visible, in milliseconds; the notification centre keeps it after that. */
const IN_SIGHT = 8000;

/** Show the notices that hold: each replaces the one before of its sessions, where that stood. */
export class SessionNotices {
  constructor(
    private _workspace: IGpuWorkspace,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle
  ) {}

  show(news: readonly INews[]): void {
    const notices = this._board.note(news, Date.now());
    const keys = new Set(notices.map(({ key }) => key));
    for (const [key, { id }] of this._shown) {
      if (!keys.has(key)) {
        Notification.dismiss(id);
        this._shown.delete(key);
      }
    }
    notices.forEach(notice => this._show(notice));
  }

  private _show({ key, kind, sessions }: INotice): void {
    const shown = this._shown.get(key);
    const count = sessions.length;
    if (shown && shown.kind === kind && shown.count === count) {
      return;
    }
    const trans = this._trans;
    const text =
      count > 1
        ? noticeTogetherText(trans, kind, sessions)
        : noticeText(trans, kind, sessions[0]);
    const message = shorten(text);
    const type = TYPES[kind];
    const options: Notification.IOptions<never> = {
      autoClose: IN_SIGHT,
      actions: [
        count > 1 ? this._showAll(sessions) : this._answer(kind, sessions[0]),
        {
          label: trans.__("Don't show again"),
          caption: trans.__('Turn these notices on again in the settings'),
          callback: () =>
            void this._workspace.preferences.set(SWITCH[kind], false)
        }
      ]
    };
    const id = shown?.id ?? '';
    // Fewer sessions are no news: who has closed the notice does not see it again.
    const isNews = shown?.kind !== kind || shown.count < count;
    const isOpen = id && Notification.update({ id, message, type, ...options });
    if (isOpen || !isNews) {
      this._shown.set(key, { id, kind, count });
    } else {
      const emitted = Notification.emit(message, type, options);
      this._shown.set(key, { id: emitted, kind, count });
    }
  }

  private _answer(kind: NoticeKind, session: Session): Notification.IAction {
    const trans = this._trans;
    const { id } = session;
    const act = (label: string, command: string) => ({
      label,
      callback: () => void this._commands.execute(command, { id })
    });
    if (kind === 'ready' && can(session, 'open')) {
      return act(trans.__('Open'), CommandIDs.open);
    }
    return kind === 'ready' || kind === 'failed'
      ? act(trans.__('Log'), CommandIDs.logs)
      : act(trans.__('Details'), CommandIDs.details);
  }

  /** Make the button that leads to the sessions of one notice. */
  private _showAll([first]: readonly Session[]): Notification.IAction {
    return {
      label: this._trans.__('Show them'),
      callback: () =>
        void this._commands
          .execute(CommandIDs.showPanel)
          .then(() => this._workspace.reveal(first.id))
    };
  }

  private _board = new NoticeBoard();
  /** The notification of each notice, and what it said; a user may have closed it. */
  private _shown = new Map<
    string,
    { id: string; kind: NoticeKind; count: number }
  >();
}
