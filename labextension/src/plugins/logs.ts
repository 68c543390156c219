import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';
import { listIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import { can } from '../state/sessions';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';
import { addViewer } from './viewer';

/** Show logs in the main area. */
export const logs: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:logs',
  description: 'The viewer of session logs.',
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
      command: CommandIDs.logs,
      label: trans.__('Show Log'),
      longLabel: trans.__('Show the Log of a GPU Session…'),
      icon: listIcon,
      title: name => trans.__('%1 log', name),
      fits: session => can(session, 'log'),
      make: async (id: string): Promise<MainAreaWidget> => {
        const { makeLogWidget } = await import('../views/logs/widget');
        return makeLogWidget(ui, id);
      }
    });
  }
};
