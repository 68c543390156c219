import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRunningSessionManagers, IRunningSessions } from '@jupyterlab/running';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { gpuIcon } from '../icons';
import { watchInBackground } from '../state/background';
import { can, inOrder, isLive } from '../state/sessions';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import { shareText, stateText } from '../views/texts';
import { report } from './report';

/** List my sessions among all that runs. */
export const running: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:running',
  description: 'My sessions in the panel of what runs.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [IRunningSessionManagers, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    managers: IRunningSessionManagers | null,
    translator: ITranslator | null
  ): void => {
    if (!managers) {
      return;
    }
    managers.add(makeManager(quota, app.commands, ours(translator)));
    void app.restored.then(() => {
      watchInBackground(quota, [quota.sessions]);
    });
  }
};

/** Make what the panel asks for its list. */
export function makeManager(
  quota: IGpuQuota,
  commands: CommandRegistry,
  trans: TranslationBundle
): IRunningSessions.IManager {
  const changed = new Signal<IGpuQuota, void>(quota);
  let shown = '';
  quota.sessions.changed.connect(() => {
    // The panel draws its whole list anew each time, in sight or not.
    const now = JSON.stringify(
      mine(quota).map(({ actions, id, state }) => [id, state, actions])
    );
    if (now !== shown) {
      shown = now;
      changed.emit();
    }
  });
  const stop = (session: Session) =>
    quota.actions.stop(session.id).catch(error => report(trans, error));
  return {
    name: trans.__('GPU Sessions'),
    running: () =>
      mine(quota).map(session => makeItem(session, commands, trans, stop)),
    shutdownAll: () =>
      mine(quota)
        .filter(session => can(session, 'stop'))
        .forEach(session => void stop(session)),
    refreshRunning: () => void quota.sessions.refresh(),
    runningChanged: changed,
    shutdownLabel: trans.__('Stop'),
    shutdownAllLabel: trans.__('Stop All'),
    shutdownAllConfirmationText: trans.__(
      'Stop all of your GPU sessions? What is only in their memory is lost.'
    )
  };
}

/** List my sessions that have processes; one that waits has nothing to be stopped. */
function mine(quota: IGpuQuota): Session[] {
  const about = quota.about.result;
  const { result } = quota.sessions;
  return about.status === 'ready' && result.status === 'ready'
    ? inOrder(result.value.items).filter(
        session => session.owner === about.value.user && isLive(session)
      )
    : [];
}

function makeItem(
  session: Session,
  commands: CommandRegistry,
  trans: TranslationBundle,
  stop: (session: Session) => Promise<unknown>
): IRunningSessions.IRunningItem {
  const { id, spec, placement } = session;
  const share = shareText(trans, spec.share);
  return {
    icon: () => gpuIcon,
    label: () => spec.name,
    labelTitle: () =>
      trans.__(
        '%1, %2: %3',
        spec.name,
        spec.project,
        stateText(trans, session)
      ),
    detail: () =>
      placement?.simulated ? trans.__('%1, simulated', share) : share,
    open: () =>
      void commands.execute(
        can(session, 'open') ? CommandIDs.open : CommandIDs.details,
        { id }
      ),
    shutdown: can(session, 'stop') ? () => void stop(session) : undefined
  };
}
