import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs } from '../commands';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';
import { addSingle } from './single';

const ID = 'jupyter-gpuquota:dashboard';

/** Show the team's dashboard in the main area, once. */
export const dashboard: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'The dashboard of who uses, borrows and requests GPUs.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator, ILayoutRestorer, IRenderMimeRegistry],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    renderMime: IRenderMimeRegistry | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { workspace, commands: app.commands, trans };
    addSingle(app, ui, restorer, {
      id: ID,
      command: CommandIDs.dashboard,
      label: trans.__('GPU Dashboard'),
      caption: trans.__('Open the GPU dashboard'),
      title: trans.__('GPU dashboard'),
      make: async () => {
        const { makeDashboardWidget } = await import(
          /* webpackChunkName: "team" */ '../views/dashboard/dashboard'
        );
        return makeDashboardWidget(ui, renderMime);
      }
    });
  }
};
