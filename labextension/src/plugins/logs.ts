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
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/ui';
import { addViewer } from './viewer';

/** Show logs in the main area. */
export const logs: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:logs',
  description: 'The viewer of session logs.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { quota, commands: app.commands, trans };
    addViewer(app, ui, restorer, {
      command: CommandIDs.logs,
      label: trans.__('Show Log'),
      longLabel: trans.__('Show the Log of a GPU Session…'),
      icon: listIcon,
      title: name => trans.__('%1 log', name),
      fits: session => can(session, 'log'),
      make: async (id: string): Promise<MainAreaWidget> => {
        const { makeLogWidget } = await import('../views/logwidget');
        return makeLogWidget(ui, id);
      }
    });
  }
};
