import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs } from '../commands';
import { watchInBackground } from '../state/background';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/ui';
import { addSingle } from './single';

const ID = 'jupyter-gpuquota:projects';

/** Show admins what is set in the main area, once; nobody else sees anything of it. */
export const projects: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Projects, rules, node groups and who changed them, for admins.',
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
    addSingle(app, ui, restorer, {
      id: ID,
      command: CommandIDs.projects,
      label: trans.__('Change GPU Projects and Rules'),
      caption: trans.__('Change projects, rules and node groups'),
      title: trans.__('GPU projects and rules'),
      isVisible: () => isAdmin(quota),
      make: async () => {
        const { makeAdministrationWidget } =
          await import('../views/administrationwidget');
        return makeAdministrationWidget(ui);
      }
    });
    followAdmin(app, quota);
  }
};

function isAdmin({ quota }: IGpuQuota): boolean {
  return quota.result.status === 'ready' && quota.result.value.admin;
}

/** Have the palette show the command while the user is an admin. */
function followAdmin(app: JupyterFrontEnd, quota: IGpuQuota): void {
  let was = isAdmin(quota);
  quota.quota.changed.connect(() => {
    const is = isAdmin(quota);
    if (is !== was) {
      was = is;
      app.commands.notifyCommandChanged(CommandIDs.projects);
    }
  });
  void app.restored.then(() => askOnce(quota));
}

/** Have it known whether the user is an admin, even where nothing else watches the quota. */
function askOnce(quota: IGpuQuota): void {
  const watcher = watchInBackground(quota, [quota.quota]);
  const onChanged = () => {
    if (quota.quota.result.status === 'ready') {
      quota.quota.changed.disconnect(onChanged);
      watcher.dispose();
    }
  };
  quota.quota.changed.connect(onChanged);
  onChanged();
}
