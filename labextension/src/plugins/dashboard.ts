import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs } from '../commands';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/ui';
import { addSingle } from './single';

const ID = 'jupyter-gpuquota:dashboard';

/** Show the team's dashboard in the main area, once. */
export const dashboard: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'The dashboard of who holds, borrows and waits for GPUs.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [ITranslator, ILayoutRestorer, IRenderMimeRegistry],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    renderMime: IRenderMimeRegistry | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { quota, commands: app.commands, trans };
    addSingle(app, ui, restorer, {
      id: ID,
      command: CommandIDs.dashboard,
      label: trans.__('Open the Team Dashboard of GPUs'),
      caption: trans.__('Open the team dashboard'),
      title: trans.__('Team dashboard'),
      make: async () => {
        const { makeDashboardWidget } =
          await import('../views/dashboardwidget');
        return makeDashboardWidget(ui, renderMime);
      }
    });
  }
};
