import { MainAreaWidget } from '@jupyterlab/apputils';
import { listIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import { can } from '../state/sessions';
import { mainPlugin } from './mainarea';
import { addViewer } from './viewer';

/** Show logs in the main area. */
export const logs = mainPlugin(
  'jupyter-gpuquota:logs',
  'The viewer of session logs.',
  (app, ui, restorer) => {
    const { trans } = ui;
    addViewer(app, ui, restorer, {
      command: CommandIDs.logs,
      label: trans.__('Show Log'),
      longLabel: trans.__('Show the Log of a GPU Session…'),
      icon: listIcon,
      title: name => trans.__('%1 log', name),
      fits: session => can(session, 'log'),
      make: async (id: string): Promise<MainAreaWidget> => {
        const { makeLogWidget } = await import(
          /* webpackChunkName: "pages" */ '../views/logs/logs'
        );
        return makeLogWidget(ui, id);
      }
    });
  }
);
