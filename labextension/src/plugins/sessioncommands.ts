import { Clipboard, Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import {
  addIcon,
  closeIcon,
  copyIcon,
  LabIcon,
  refreshIcon,
  runIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Session } from '../api/models';
import { CommandIDs, SESSION_ARGS } from '../commands';
import { clockIcon, openIcon, snapshotIcon, suspendIcon } from '../icons';
import { can, hasEnded } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';
import { clockText } from '../views/parts/texts';
import { chooseSession, confirmEnd } from './dialogs';
import { addMountFolder } from './notebooks/mountfolder';
import { relaunch } from './relaunch';
import { report } from '../views/parts/report';

interface ISessionCommand {
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

/** Add a command for each thing that can be done to a session. */
export function addSessionCommands(
  commands: CommandRegistry,
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): void {
  addMountFolder({ workspace, commands, trans });
  const all = [
    ...looking(workspace, trans),
    ...changing(commands, workspace, trans)
  ];
  for (const command of all) {
    const { id, icon, caption, fits } = command;
    const of = (args: ReadonlyPartialJSONObject) => find(workspace, args);
    commands.addCommand(id, {
      label: args => {
        const { label, longLabel } = command;
        const session = of(args);
        if (typeof label === 'function') {
          return session ? label(session) : longLabel;
        }
        return names(args) ? label : longLabel;
      },
      caption,
      icon,
      describedBy: { args: SESSION_ARGS },
      isEnabled: args => {
        const session = of(args);
        return session ? fits(session) : !names(args);
      },
      isVisible: args => {
        const session = of(args);
        return !session || Boolean(command.isPermanent) || fits(session);
      },
      execute: async args => {
        const session =
          of(args) ??
          (await chooseSession(workspace, command.longLabel, fits, trans));
        await Promise.resolve(session && command.run(session)).catch(error =>
          report(trans, error)
        );
      }
    });
  }
}

/** Return whether arguments name a session. */
function names(args: ReadonlyPartialJSONObject): boolean {
  return Boolean(args.id || args.name);
}

/** Find the session that arguments name. */
export function find(
  workspace: IGpuWorkspace,
  args: ReadonlyPartialJSONObject
): Session | undefined {
  if (args.id) {
    return workspace.session(String(args.id));
  }
  const { result } = workspace.sessions;
  return result.status === 'ready' && args.name
    ? result.value.items.find(({ spec }) => spec.name === args.name)
    : undefined;
}

function looking(
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): ISessionCommand[] {
  const address = (session: Session) =>
    new URL(workspace.actions.url(session), window.location.href).href;
  return [
    {
      id: CommandIDs.open,
      icon: openIcon,
      label: trans.__('Open'),
      longLabel: trans.__('Open a GPU Session…'),
      caption: trans.__('Open the session in a new browser tab'),
      fits: session => can(session, 'open'),
      isPermanent: true,
      run: session => {
        // The session's pages must not get hold of this one.
        window.open(address(session), '_blank', 'noopener');
      }
    },
    {
      id: CommandIDs.copyUrl,
      icon: copyIcon,
      label: trans.__('Copy URL'),
      longLabel: trans.__('Copy the URL of a GPU Session…'),
      caption: trans.__('Copy the address of this session'),
      fits: session => can(session, 'open'),
      run: session => {
        Clipboard.copyToSystem(address(session));
        Notification.info(trans.__('URL of %1 copied', session.spec.name), {
          autoClose: 2000
        });
      }
    }
  ];
}

function changing(
  commands: CommandRegistry,
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): ISessionCommand[] {
  const { actions } = workspace;
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
        await takeSnapshot({ workspace, commands, trans }, session);
      }
    },
    {
      id: CommandIDs.suspend,
      icon: suspendIcon,
      label: trans.__('Suspend…'),
      longLabel: trans.__('Suspend a GPU Session…'),
      caption: trans.__('End its processes and free its GPUs; resume it later'),
      fits: session => can(session, 'suspend'),
      run: async session => {
        if (await confirmEnd(workspace, session, 'suspend', trans)) {
          await actions.suspend(session.id);
        }
      }
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
      run: session => relaunch({ workspace, commands, trans }, session)
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
        await changeShare({ workspace, commands, trans }, session);
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
      run: async session => {
        if (await confirmEnd(workspace, session, 'stop', trans)) {
          await actions.stop(session.id);
        }
      }
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
