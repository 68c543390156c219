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
import { INotice, NoticeKind, Watchman } from '../state/notices';
import { can } from '../state/sessions';
import { IGpuQuota, IPreferenceValues } from '../tokens';
import { ours } from '../translation';
import { lifeText } from '../views/idletexts';
import { takerText } from '../views/takertexts';

const SWITCH: Record<NoticeKind, keyof IPreferenceValues & string> = {
  ready: 'notifyReady',
  failed: 'notifyFailed',
  waiting: 'notifyWaiting',
  reclaimed: 'notifyReclaimed',
  ending: 'notifyEnding'
};
/** How long a notice stays in sight, in milliseconds; it is kept in the centre after that. */
const IN_SIGHT = 8000;
const LONGEST = 140;

/** Tell the user what becomes of their sessions. */
export const notifications: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:notifications',
  description:
    'Notices when a session is ready, has failed, has to wait, is reclaimed or soon stopped.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    const watchman = new Watchman();
    const look = () => {
      const sessions = quota.sessions.result;
      const about = quota.about.result;
      if (sessions.status === 'ready' && about.status === 'ready') {
        const { items } = sessions.value;
        const news = watchman.look(items, about.value.user, Date.now());
        news
          .filter(({ kind }) => quota.preferences.values[SWITCH[kind]])
          .forEach(notice => show(notice, quota, app.commands, trans));
      }
    };
    quota.sessions.changed.connect(look);
    // It is read again and again while the list stays as it is: an end may come near meanwhile.
    quota.about.changed.connect(look);
    void app.restored.then(() => {
      watchInBackground(quota, [quota.sessions]);
    });
  }
};

function show(
  { kind, session }: INotice,
  quota: IGpuQuota,
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
    label: trans.__('Do not show again'),
    callback: () => void quota.preferences.set(SWITCH[kind], false)
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
        trans.__('%1 has failed: %2', spec.name, why),
        'error',
        act(trans.__('Log'), CommandIDs.logs)
      );
      break;
    case 'waiting':
      emit(
        trans.__('%1 waits: %2', spec.name, why),
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
        '%1 makes room for %2 and starts again elsewhere',
        spec.name,
        taker
      )
    : trans.__(
        '%1 was reclaimed for %2; it starts again when GPUs are free',
        spec.name,
        taker
      );
}

function shorten(message: string): string {
  return message.length > LONGEST
    ? `${message.slice(0, LONGEST - 1)}…`
    : message;
}
