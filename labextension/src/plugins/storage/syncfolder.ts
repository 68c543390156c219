import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs } from '../../commands';
import { gpuIcon } from '../../icons';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import { report } from '../../views/parts/report';
import type { IUi } from '../../views/parts/ui';

const ARGS = {
  type: 'object',
  properties: {
    folder: {
      type: 'string',
      description:
        'The folder to store; the default is what is selected in the file browser'
    }
  }
} as const;

/** A folder in the list of files. */
const FOLDER = '.jp-DirListing-item[data-isdir="true"]';

/** Store a folder of the file browser as a version of a dataset. */
export const syncFolder: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:sync-folder',
  description: 'Makes versions of datasets from folders of the file browser.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator, IDefaultFileBrowser],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    files: IDefaultFileBrowser | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { workspace, commands: app.commands, trans };
    const { contents } = app.serviceManager;
    const folder = (): string => {
      const items = [...(files?.selectedItems() ?? [])];
      const chosen = items.find(({ type }) => type === 'directory');
      return chosen?.path ?? files?.model.path ?? '';
    };
    app.commands.addCommand(CommandIDs.syncFolder, {
      label: trans.__('Make a Dataset Version…'),
      caption: trans.__('Store this folder as the next version of a dataset'),
      icon: gpuIcon,
      describedBy: { args: ARGS },
      // Another drive is not on the server's machine.
      isEnabled: () => !contents.driveName(folder()),
      execute: async args => {
        const path = typeof args.folder === 'string' ? args.folder : folder();
        const views = await import(
          /* webpackChunkName: "storage" */ '../../views/datasets/syncfolder'
        );
        await views
          .syncFolder(ui, contents.localPath(path))
          .catch(error => report(trans, error));
      }
    });
    app.contextMenu.addItem({
      command: CommandIDs.syncFolder,
      selector: FOLDER,
      rank: 60
    });
  }
};
