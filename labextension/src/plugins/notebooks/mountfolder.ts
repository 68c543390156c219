import { CommandIDs, SESSION_ARGS } from '../../commands';
import { addIcon } from '@jupyterlab/ui-components';
import { can } from '../../state/sessions';
import { report } from '../../views/parts/report';
import type { IUi } from '../../views/parts/ui';

/** Add the command that mounts a notebook's folder in the session of its kernel. */
export function addMountFolder(ui: IUi): void {
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
        /* webpackChunkName: "storage" */ '../../views/details/mountfolder'
      );
      await mountFolder(ui, session, String(folder)).catch(error =>
        report(trans, error)
      );
    }
  });
}
