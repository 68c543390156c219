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
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import { shareText, stateText } from '../views/parts/texts';
import { report } from '../views/parts/report';

/** List my sessions among all that runs. */
export const running: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:running',
  description: 'My sessions in the Running panel.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [IRunningSessionManagers, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    managers: IRunningSessionManagers | null,
    translator: ITranslator | null
  ): void => {
    if (!managers) {
      return;
    }
    managers.add(makeManager(workspace, app.commands, ours(translator)));
    void app.restored.then(() => {
      watchInBackground(workspace, [workspace.sessions]);
    });
  }
};

/** Make what the panel asks for its list. */
export function makeManager(
  workspace: IGpuWorkspace,
  commands: CommandRegistry,
  trans: TranslationBundle
): IRunningSessions.IManager {
  const changed = new Signal<IGpuWorkspace, void>(workspace);
  let shown = '';
  const update = () => {
    // The panel redraws its whole list each time, visible or not.
    const now = JSON.stringify(
      mine(workspace).map(({ actions, id, state }) => [id, state, actions])
    );
    if (now !== shown) {
      shown = now;
      changed.emit();
    }
  };
  workspace.sessions.changed.connect(update);
  // Which sessions are mine is known only then, and it may come after the sessions.
  workspace.about.changed.connect(update);
  const stop = (session: Session) =>
    workspace.actions.stop(session.id).catch(error => report(trans, error));
  return {
    name: trans.__('GPU Sessions'),
    running: () =>
      mine(workspace).map(session => makeItem(session, commands, trans, stop)),
    shutdownAll: () =>
      mine(workspace)
        .filter(session => can(session, 'stop'))
        .forEach(session => void stop(session)),
    refreshRunning: () => void workspace.sessions.refresh(),
    runningChanged: changed,
    shutdownLabel: trans.__('Stop'),
    shutdownAllLabel: trans.__('Stop All'),
    shutdownAllConfirmationText: trans.__(
      'Stop all your GPU sessions? Open notebooks are saved first; kernel memory is lost.'
    )
  };
}

/** List my sessions that have processes; one that waits has nothing to be stopped. */
function mine(workspace: IGpuWorkspace): Session[] {
  const about = workspace.about.result;
  const { result } = workspace.sessions;
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
  // Texts are made for what is on the screen only: of thousands, JupyterLab draws a few.
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
    detail: () => {
      const share = shareText(trans, spec.share);
      return placement?.simulated ? trans.__('%1, simulated', share) : share;
    },
    open: () =>
      void commands.execute(
        can(session, 'open') ? CommandIDs.open : CommandIDs.details,
        { id }
      ),
    shutdown: can(session, 'stop') ? () => void stop(session) : undefined
  };
}
