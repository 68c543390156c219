import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { watchInBackground } from '../state/background';
import { INotice, NoticeKind, NoticeEvents } from '../state/notices';
import { can } from '../state/sessions';
import { IGpuWorkspace, IPreferenceValues } from '../tokens';
import { ours } from '../translation';
import { lifeText } from '../views/idle/texts';
import { takerText } from '../views/parts/takertexts';

const SWITCH: Record<NoticeKind, keyof IPreferenceValues & string> = {
  ready: 'notifyReady',
  failed: 'notifyFailed',
  waiting: 'notifyWaiting',
  reclaimed: 'notifyReclaimed',
  ending: 'notifyEnding'
};
/** How long a notice stays visible, in milliseconds; the notification centre keeps it after that. */
const IN_SIGHT = 8000;
const LONGEST = 140;

/** Notify the user of changes of their sessions. */
export const notifications: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:notifications',
  description:
    'Notices when a session is ready, failed, queued, preempted or about to be stopped.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    const events = new NoticeEvents();
    const look = () => {
      const sessions = workspace.sessions.result;
      const about = workspace.about.result;
      if (sessions.status === 'ready' && about.status === 'ready') {
        const { items } = sessions.value;
        const news = events.look(items, about.value.user, Date.now());
        news
          .filter(({ kind }) => workspace.preferences.values[SWITCH[kind]])
          // Here it counts down, and explains the end.
          .filter(
            ({ kind, session }) =>
              kind !== 'reclaimed' || session.id !== workspace.here
          )
          .forEach(notice => show(notice, workspace, app.commands, trans));
      }
    };
    workspace.sessions.changed.connect(look);
    // It is read again and again while the list stays as it is: an end may come near meanwhile.
    workspace.about.changed.connect(look);
    void app.restored.then(() => {
      watchInBackground(workspace, [workspace.sessions]);
    });
  }
};

function show(
  { kind, session }: INotice,
  workspace: IGpuWorkspace,
  commands: CommandRegistry,
  trans: TranslationBundle
): void {
  const { id, spec, reason } = session;
  const why = reason?.message ?? '';
  const act = (label: string, command: string) => ({
    label,
    callback: () => void commands.execute(command, { id })
  });
  const never = {
    label: trans.__("Don't show again"),
    caption: trans.__('Turn these notices on again in the settings'),
    callback: () => void workspace.preferences.set(SWITCH[kind], false)
  };
  const emit = (
    message: string,
    type: Notification.TypeOptions,
    action: ReturnType<typeof act>
  ) =>
    Notification.emit(shorten(message), type, {
      autoClose: IN_SIGHT,
      actions: [action, never]
    });
  switch (kind) {
    case 'ready':
      emit(
        trans.__('%1 is running', spec.name),
        'success',
        can(session, 'open')
          ? act(trans.__('Open'), CommandIDs.open)
          : act(trans.__('Log'), CommandIDs.logs)
      );
      break;
    case 'failed':
      emit(
        trans.__('%1 failed: %2', spec.name, why),
        'error',
        act(trans.__('Log'), CommandIDs.logs)
      );
      break;
    case 'waiting':
      emit(
        trans.__('%1 is queued: %2', spec.name, why),
        'info',
        act(trans.__('Details'), CommandIDs.details)
      );
      break;
    case 'reclaimed':
      emit(
        reclaimedText(trans, session),
        'warning',
        act(trans.__('Details'), CommandIDs.details)
      );
      break;
    case 'ending':
      emit(
        trans.__('%1 %2. Save your work.', spec.name, lifeText(trans, session)),
        'warning',
        act(trans.__('Details'), CommandIDs.details)
      );
  }
}

function reclaimedText(
  trans: TranslationBundle,
  { reclaimed, spec }: Session
): string {
  const taker = reclaimed ? takerText(trans, reclaimed) : '';
  return reclaimed?.moved
    ? trans.__(
        '%1 was moved to make room for %2 and will restart elsewhere',
        spec.name,
        taker
      )
    : trans.__(
        '%1 was preempted by %2 and will restart when GPUs are free',
        spec.name,
        taker
      );
}

function shorten(message: string): string {
  return message.length > LONGEST
    ? `${message.slice(0, LONGEST - 1)}…`
    : message;
}
