import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Store } from '../state/store';
import { IGpuQuota } from '../tokens';

const ID = 'jupyter-gpuquota:plugin';

/** Know the server's state, and do things to sessions; shows nothing. */
export const store: JupyterFrontEndPlugin<IGpuQuota> = {
  id: ID,
  description:
    'Knows sessions, quota and nodes, keeps them up to date, and holds the settings.',
  autoStart: true,
  provides: IGpuQuota,
  optional: [ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    settings: ISettingRegistry | null
  ): IGpuQuota => {
    const { serverSettings, events } = app.serviceManager;
    const store = new Store(serverSettings, events);
    if (settings) {
      settings.load(ID).then(
        loaded => store.preferences.bind(loaded),
        error => console.warn('The GPU workspace uses its defaults:', error)
      );
    }
    return store;
  }
};
