import { Clipboard, Notification } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { addIcon, copyIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Session } from '../api/models';
import { CommandIDs, SESSION_ARGS } from '../commands';
import { openIcon } from '../icons';
import { can } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';
import { changing, ISessionCommand } from './changecommands';
import { chooseSession } from './dialogs';
import { report } from '../views/parts/report';
import type { IUi } from '../views/parts/ui';

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

/** Add the command that mounts a notebook's folder in the session of its kernel. */
function addMountFolder(ui: IUi): void {
  const { commands, trans, workspace } = ui;
  commands.addCommand(CommandIDs.mountFolder, {
    label: trans.__('Mount Folder…'),
    caption: trans.__('Restart it with the volume that has this folder'),
    icon: addIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          id: SESSION_ARGS.properties.id,
          folder: { type: 'string', description: 'The folder of a notebook' }
        },
        required: ['id', 'folder']
      }
    },
    isVisible: ({ folder, id }) => {
      const session = workspace.session(String(id));
      return Boolean(folder && session && can(session, 'resize'));
    },
    execute: async ({ folder, id }) => {
      const session = workspace.session(String(id));
      if (!session || !folder) {
        return;
      }
      const { mountFolder } = await import(
        /* webpackChunkName: "storage" */ '../views/details/mountfolder'
      );
      await mountFolder(ui, session, String(folder)).catch(error =>
        report(trans, error)
      );
    }
  });
}
