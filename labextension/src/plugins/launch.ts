import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import { addIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import { gpuIcon } from '../icons';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/ui';
import { showInMain } from './shell';

const ARGS = {
  type: 'object',
  properties: {
    cwd: {
      type: 'string',
      description: 'The folder to begin in; without it that of the file browser'
    }
  }
} as const;

/** Launch sessions from a form. */
export const launch: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:launch',
  description: 'The form from which sessions are launched.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [ITranslator, ILayoutRestorer, IStateDB, IDefaultFileBrowser],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    state: IStateDB | null,
    files: IDefaultFileBrowser | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { quota, commands: app.commands, trans };
    const tracker = new WidgetTracker<MainAreaWidget>({
      namespace: 'gpuquota-launch'
    });
    app.commands.addCommand(CommandIDs.launch, {
      label: trans.__('Launch a GPU Session…'),
      caption: trans.__('Launch a session with a share of a GPU'),
      icon: args => (args.isLauncher ? gpuIcon : addIcon),
      describedBy: { args: ARGS },
      execute: async args => {
        const open = tracker.currentWidget;
        if (open) {
          return showInMain(app, open);
        }
        const { makeLaunchWidget } = await import('../views/launchwidget');
        const widget = await makeLaunchWidget({
          ui,
          state,
          folder: typeof args.cwd === 'string' ? args.cwd : here(app, files)
        });
        await tracker.add(widget);
        showInMain(app, widget);
      }
    });
    void restorer?.restore(tracker, {
      command: CommandIDs.launch,
      name: () => 'launch'
    });
  }
};

/** The file browser's folder, below the server's root; empty where it shows another drive. */
function here(app: JupyterFrontEnd, files: IDefaultFileBrowser | null): string {
  const path = files?.model.path ?? '';
  const { contents } = app.serviceManager;
  return contents.driveName(path) ? '' : contents.localPath(path);
}
