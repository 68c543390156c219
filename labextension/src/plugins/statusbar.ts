import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { watchInBackground } from '../state/background';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';

/** Show in the status bar how much of the GPUs is mine, and which session ends soon. */
export const statusbar: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:statusbar',
  description:
    'The GPUs that I hold, and the session that ends soon, in the status bar.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    bar: IStatusBar | null,
    translator: ITranslator | null
  ): void => {
    if (!bar) {
      return;
    }
    const ui: IUi = {
      workspace,
      commands: app.commands,
      trans: ours(translator)
    };
    void app.restored.then(async () => {
      const { makeStatusItem } = await import(
        /* webpackChunkName: "panel" */ '../views/panel/statuswidget'
      );
      const { preferences } = workspace;
      const changed = new Signal<IGpuWorkspace, void>(workspace);
      bar.registerStatusItem('jupyter-gpuquota:status', {
        item: makeStatusItem(ui),
        align: 'left',
        rank: 20,
        isActive: () => preferences.values.statusItem,
        activeStateChanged: changed
      });
      let watcher: IDisposable | null = null;
      const update = () => {
        watcher?.dispose();
        watcher = preferences.values.statusItem
          ? watchInBackground(workspace, [
              workspace.quota,
              workspace.sessions,
              workspace.resource('gpus')
            ])
          : null;
        changed.emit();
      };
      preferences.changed.connect(update);
      update();
    });
  }
};
