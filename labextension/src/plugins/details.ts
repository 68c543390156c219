import { MainAreaWidget } from '@jupyterlab/apputils';
import { tableRowsIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import { mainPlugin } from './mainarea';
import { addViewer } from './viewer';

/** Show all of a session in the main area. */
export const details = mainPlugin(
  'jupyter-gpuquota:details',
  'The view of everything that is known of one session.',
  (app, ui, restorer) => {
    const { trans } = ui;
    addViewer(app, ui, restorer, {
      command: CommandIDs.details,
      label: trans.__('Show Details'),
      longLabel: trans.__('Show the Details of a GPU Session…'),
      icon: tableRowsIcon,
      title: name => name,
      fits: () => true,
      make: async (id: string): Promise<MainAreaWidget> => {
        const { makeDetailsWidget } = await import(
          /* webpackChunkName: "pages" */ '../views/details/details'
        );
        return makeDetailsWidget(ui, id);
      }
    });
  }
);
