import { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandIDs } from '../commands';
import { watchInBackground } from '../state/background';
import { IGpuWorkspace } from '../tokens';
import { mainPlugin } from './mainarea';
import { addSingle } from './single';

const ID = 'jupyter-gpuquota:projects';

/** The administrators' page, a single main-area widget that only they can open. */
export const projects = mainPlugin(
  ID,
  'Projects, rules, node groups and who changed them, for admins.',
  (app, ui, restorer) => {
    const { trans, workspace } = ui;
    addSingle(app, ui, restorer, {
      id: ID,
      command: CommandIDs.projects,
      label: trans.__('Manage GPU Projects'),
      caption: trans.__('Manage projects, policies and node groups'),
      title: trans.__('Projects and policies'),
      isVisible: () => isAdmin(workspace),
      make: async () => {
        const { makeAdministrationWidget } = await import(
          /* webpackChunkName: "admin" */ '../views/administration/widget'
        );
        return makeAdministrationWidget(ui);
      }
    });
    followAdmin(app, workspace);
  }
);

function isAdmin({ quota }: IGpuWorkspace): boolean {
  return quota.result.status === 'ready' && quota.result.value.admin;
}

/** Show the command in the palette while the user is an admin. */
function followAdmin(app: JupyterFrontEnd, workspace: IGpuWorkspace): void {
  let was = isAdmin(workspace);
  workspace.quota.changed.connect(() => {
    const is = isAdmin(workspace);
    if (is !== was) {
      was = is;
      app.commands.notifyCommandChanged(CommandIDs.projects);
    }
  });
  void app.restored.then(() => askOnce(workspace));
}

/** Keep track of whether the user is an admin, even if nothing else watches the quota. */
function askOnce(workspace: IGpuWorkspace): void {
  const watcher = watchInBackground(workspace, [workspace.quota]);
  const onChanged = () => {
    if (workspace.quota.result.status === 'ready') {
      workspace.quota.changed.disconnect(onChanged);
      watcher.dispose();
    }
  };
  workspace.quota.changed.connect(onChanged);
  onChanged();
}
