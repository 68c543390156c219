import { commands } from './plugins/commands';
import { dashboard } from './plugins/dashboard';
import { datasets } from './plugins/storage/datasets';
import { details } from './plugins/details';
import { ending } from './plugins/sessionpage/ending';
import { here } from './plugins/sessionpage/here';
import { idleNotices } from './plugins/idlenotices';
import { kernelItem } from './plugins/notebooks/kernelitem';
import { launch } from './plugins/launch';
import { launcher } from './plugins/notebooks/launcher';
import { live } from './plugins/live';
import { logs } from './plugins/logs';
import { missedOutput } from './plugins/sessionpage/missedoutput';
import { notifications } from './plugins/notifications';
import { panel } from './plugins/panel';
import { projects } from './plugins/projects';
import { running } from './plugins/running';
import { saving } from './plugins/sessionpage/saving';
import { snapshots } from './plugins/storage/snapshots';
import { statusbar } from './plugins/statusbar';
import { store } from './plugins/store';
import { syncFolder } from './plugins/storage/syncfolder';

export * from './tokens';

export default [
  store,
  commands,
  panel,
  launch,
  launcher,
  kernelItem,
  syncFolder,
  logs,
  details,
  dashboard,
  datasets,
  snapshots,
  projects,
  statusbar,
  running,
  notifications,
  idleNotices,
  saving,
  ending,
  live,
  here,
  missedOutput
];
