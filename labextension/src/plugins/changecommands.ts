import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
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
import { clockText, shareText } from '../views/parts/texts';
import { endQuestion, Goal } from '../views/details/loss';
import type { IUi } from '../views/parts/ui';
import { toResize } from '../state/advice';

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
          /* webpackChunkName: "storage" */ '../views/snapshots/take'
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

/**
 * Stop or suspend a session once the user has confirmed it.
 *
 * For a session of somebody else it is always asked, and why: the list from which it was chosen has
 * everybody's.
 */
export async function endSession(
  ui: IUi,
  session: Session,
  goal: Goal
): Promise<void> {
  if (isOfAnother(ui.workspace, session)) {
    const { endOfAnother } = await import(
      /* webpackChunkName: "storage" */ '../views/details/endform'
    );
    await endOfAnother(ui, session, goal);
  } else if (await confirmEnd(ui, session, goal)) {
    await ui.workspace.actions[goal](session.id);
  }
}

/** Ask for confirmation, unless the user has turned that off or the session is only queued. */
async function confirmEnd(
  { workspace, trans }: IUi,
  session: Session,
  goal: Goal
): Promise<boolean> {
  const { preferences } = workspace;
  if (!preferences.values.confirmStop || session.state === 'waiting') {
    return true;
  }
  const { title, body, label } = endQuestion(trans, session, goal);
  const { button, isChecked } = await showDialog({
    title,
    body,
    buttons: [Dialog.cancelButton(), Dialog.warnButton({ label })],
    checkbox: { label: trans.__("Don't ask again") }
  });
  if (button.accept && isChecked) {
    await preferences.set('confirmStop', false);
  }
  return button.accept;
}

function isOfAnother({ about }: IGpuWorkspace, { owner }: Session): boolean {
  const { result } = about;
  return result.status === 'ready' && result.value.user !== owner;
}

/** Start a session again with the share that is advised now, if the user confirms. */
async function relaunch(ui: IUi, session: Session): Promise<void> {
  const { trans, workspace } = ui;
  const { id, spec } = session;
  const { message, share } = await workspace.actions.advice(id);
  if (!share) {
    await showDialog({
      title: trans.__('No other size is recommended for %1', spec.name),
      body: message,
      buttons: [Dialog.okButton()]
    });
    return;
  }
  const { restart } = await import(
    /* webpackChunkName: "storage" */ '../views/details/restart'
  );
  const words = shareText(trans, share);
  await restart(ui, session, {
    title: trans.__('Relaunch %1 with %2?', spec.name, words),
    words,
    initial: {},
    request: () => toResize(share)
  });
}
