import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../commands';
import { gpuIcon } from '../icons';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';
import { addViewer } from './viewer';

/** Show all of a session in the main area. */
export const details: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:details',
  description: 'The view of everything that is known of one session.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { workspace, commands: app.commands, trans };
    addViewer(app, ui, restorer, {
      command: CommandIDs.details,
      label: trans.__('Show Details'),
      longLabel: trans.__('Show the Details of a GPU Session…'),
      icon: gpuIcon,
      title: name => name,
      fits: () => true,
      make: async (id: string): Promise<MainAreaWidget> => {
        const { makeDetailsWidget } = await import('../views/details/widget');
        return makeDetailsWidget(ui, id);
      }
    });
  }
};
