import { Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import {
  addIcon,
  closeIcon,
  LabIcon,
  refreshIcon,
  runIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { clockIcon, snapshotIcon, suspendIcon } from '../icons';
import { can, hasEnded } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';
import { clockText } from '../views/parts/texts';
import { endSession } from './endsession';
import { relaunch } from './relaunch';

/** Something that can be done to a session, as a command. */
export interface ISessionCommand {
  id: string;
  icon: LabIcon;
  /** In a session's own menu, and where the session is yet to be chosen. */
  label: string | ((session: Session) => string);
  longLabel: string;
  caption: string;
  /** Which sessions it can be done to. */
  fits: (session: Session) => boolean;
  /** Whether it stays in the menu, greyed out, while it cannot be done. */
  isPermanent?: boolean;
  run: (session: Session) => Promise<unknown> | void;
}

/** Make the commands that change sessions. */
export function changing(
  commands: CommandRegistry,
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): ISessionCommand[] {
  const { actions } = workspace;
  const ui = { workspace, commands, trans };
  return [
    {
      id: CommandIDs.keepAlive,
      icon: clockIcon,
      label: trans.__('Keep Alive'),
      longLabel: trans.__('Keep a GPU Session Alive…'),
      caption: trans.__('Prevent idle suspension for a while'),
      fits: session => can(session, 'keep_alive'),
      run: async ({ id }) => {
        const { kept, spec } = await actions.keepAlive(id);
        if (kept) {
          const until = clockText(kept.until);
          Notification.success(
            trans.__('%1 is kept alive until %2', spec.name, until),
            { autoClose: 4000 }
          );
        }
      }
    },
    {
      id: CommandIDs.takeSnapshot,
      icon: snapshotIcon,
      label: trans.__('Take a Snapshot…'),
      longLabel: trans.__('Take a Snapshot of a GPU Session…'),
      caption: trans.__('Store its files, code, packages and data'),
      fits: session => can(session, 'snapshot'),
      run: async session => {
        const { takeSnapshot } = await import(
          /* webpackChunkName: "storage" */ '../views/snapshots/forms'
        );
        await takeSnapshot(ui, session);
      }
    },
    {
      id: CommandIDs.suspend,
      icon: suspendIcon,
      label: trans.__('Suspend…'),
      longLabel: trans.__('Suspend a GPU Session…'),
      caption: trans.__('End its processes and free its GPUs; resume it later'),
      fits: session => can(session, 'suspend'),
      run: session => endSession(ui, session, 'suspend')
    },
    {
      id: CommandIDs.resume,
      icon: runIcon,
      label: session =>
        session.spec.kind === 'train' && hasEnded(session)
          ? trans.__('Run Again')
          : trans.__('Resume'),
      longLabel: trans.__('Resume a GPU Session…'),
      caption: trans.__('Queue it again with the same share'),
      fits: session => can(session, 'resume'),
      run: ({ id }) => actions.resume(id)
    },
    {
      id: CommandIDs.relaunch,
      icon: refreshIcon,
      label: trans.__('Relaunch with the Recommended Size…'),
      longLabel: trans.__('Relaunch a GPU Session with the Recommended Size…'),
      caption: trans.__(
        'End its processes and restart it with the recommended size'
      ),
      fits: session => can(session, 'resize'),
      run: session => relaunch(ui, session)
    },
    {
      id: CommandIDs.changeShare,
      icon: refreshIcon,
      label: trans.__('Change Share…'),
      longLabel: trans.__('Change the Share of a GPU Session…'),
      caption: trans.__('Restart it with a larger or smaller share'),
      fits: session => can(session, 'resize'),
      run: async session => {
        const { changeShare } = await import(
          /* webpackChunkName: "storage" */ '../views/details/changeshare'
        );
        await changeShare(ui, session);
      }
    },
    {
      id: CommandIDs.launchAgain,
      icon: addIcon,
      label: trans.__('Launch Again…'),
      longLabel: trans.__('Launch a Copy of a GPU Session…'),
      caption: trans.__('Open the launch form filled in like this session'),
      fits: session => can(session, 'log'),
      run: ({ id }) => commands.execute(CommandIDs.launch, { session: id })
    },
    {
      id: CommandIDs.stop,
      icon: stopIcon,
      label: trans.__('Stop…'),
      longLabel: trans.__('Stop a GPU Session…'),
      caption: trans.__('End its processes and keep its log'),
      fits: session => can(session, 'stop'),
      run: session => endSession(ui, session, 'stop')
    },
    {
      id: CommandIDs.remove,
      icon: closeIcon,
      label: trans.__('Delete'),
      longLabel: trans.__('Delete a GPU Session…'),
      caption: trans.__('Delete the session and its log'),
      fits: session => can(session, 'delete'),
      isPermanent: true,
      run: session => removeWithUndo(workspace, session, trans)
    }
  ];
}

/** Hide a session at once, and delete it unless the user undoes that. */
async function removeWithUndo(
  workspace: IGpuWorkspace,
  session: Session,
  trans: TranslationBundle
): Promise<void> {
  const { removals } = workspace;
  const { id, spec } = session;
  const notice = Notification.info(trans.__('%1 deleted', spec.name), {
    autoClose: removals.delay,
    actions: [
      {
        label: trans.__('Undo'),
        callback: () => {
          removals.undo(id);
          workspace.reveal(id);
        }
      }
    ]
  });
  try {
    await removals.remove(id);
  } finally {
    Notification.dismiss(notice);
  }
}
