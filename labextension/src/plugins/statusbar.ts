import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { watchInBackground } from '../state/background';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/ui';

/** Show in the status bar how much of the GPUs is mine, and which session ends soon. */
export const statusbar: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:statusbar',
  description:
    'The GPUs that I hold, and the session that ends soon, in the status bar.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    bar: IStatusBar | null,
    translator: ITranslator | null
  ): void => {
    if (!bar) {
      return;
    }
    const ui: IUi = { quota, commands: app.commands, trans: ours(translator) };
    void app.restored.then(async () => {
      const { makeStatusItem } = await import('../views/statuswidget');
      const { preferences } = quota;
      const changed = new Signal<IGpuQuota, void>(quota);
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
          ? watchInBackground(quota, [quota.quota, quota.sessions])
          : null;
        changed.emit();
      };
      preferences.changed.connect(update);
      update();
    });
  }
};
