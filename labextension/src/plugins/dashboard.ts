import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs, NO_ARGS } from '../commands';
import { gpuIcon } from '../icons';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/ui';
import { showInMain } from './shell';

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
    const tracker = new WidgetTracker<MainAreaWidget>({
      namespace: 'jupyter-gpuquota-dashboard'
    });
    const make = async () => {
      const { makeDashboardWidget } = await import('../views/dashboardwidget');
      const widget = makeDashboardWidget(ui, renderMime);
      widget.id = ID;
      widget.title.label = trans.__('Team dashboard');
      widget.title.icon = gpuIcon;
      widget.title.closable = true;
      await tracker.add(widget);
      return widget;
    };
    let made: Promise<MainAreaWidget> | undefined;
    app.commands.addCommand(CommandIDs.dashboard, {
      label: trans.__('Open the Team Dashboard of GPUs'),
      caption: trans.__('Open the team dashboard'),
      icon: gpuIcon,
      describedBy: { args: NO_ARGS },
      execute: async () => {
        if (!made || (await made).isDisposed) {
          made = make();
          // The next click tries again.
          made.catch(() => (made = undefined));
        }
        showInMain(app, await made);
      }
    });
    void restorer?.restore(tracker, {
      command: CommandIDs.dashboard,
      name: () => 'dashboard'
    });
  }
};
