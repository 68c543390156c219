import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs, NO_ARGS } from '../../commands';
import { openIcon } from '../../icons';
import { watchInBackground } from '../../state/background';
import { sessionHere } from '../../state/sessionpage/here';
import { askToReveal, revealUrl } from '../../state/sessionpage/revealing';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import type { IUi } from '../../views/parts/ui';
import { HiddenCards } from '../notebooks/hiddencards';

/** After all that JupyterLab and Notebook 7 have at the top. */
const RANK = 100_000;

/** Show in a session's own JupyterLab that it is one, and which. */
export const here: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:here',
  description:
    "In a session's own JupyterLab: its name and state in the browser's tab, a chip with what it has at the top, and its kernel once in the Launcher.",
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null
  ): void => {
    const ui: IUi = {
      workspace,
      commands: app.commands,
      trans: ours(translator)
    };
    addBack(app, ui);
    if (workspace.here) {
      void app.restored.then(() => showHere(app, ui));
    }
  }
};

/** Add the command that leads to the JupyterLab that shows this session. */
function addBack(app: JupyterFrontEnd, { workspace, trans }: IUi): void {
  app.commands.addCommand(CommandIDs.back, {
    label: trans.__('Back to JupyterLab'),
    caption: trans.__('Open the JupyterLab that shows this session'),
    icon: openIcon,
    describedBy: { args: NO_ARGS },
    isVisible: () => Boolean(workspace.here),
    isEnabled: () => Boolean(workspace.here),
    execute: async () => {
      const { here, jupyterLab } = workspace;
      const open = () =>
        void window.open(revealUrl(jupyterLab, here), '_blank', 'noopener');
      if (!(await askToReveal(jupyterLab, here))) {
        open();
        return;
      }
      // Browsers let no page switch to a tab that it has not opened.
      Notification.info(
        trans.__(
          '%1 is selected in the tab where JupyterLab is open.',
          workspace.session(here)?.spec.name ?? here
        ),
        {
          autoClose: 15_000,
          actions: [{ label: trans.__('Open a New Tab'), callback: open }]
        }
      );
    }
  });
}

async function showHere(app: JupyterFrontEnd, ui: IUi): Promise<void> {
  const [{ makeChip }, { TabMarks }] = await Promise.all([
    import(
      /* webpackChunkName: "sessionpage" */ '../../views/sessionpage/chip'
    ),
    import(
      /* webpackChunkName: "sessionpage" */ '../../views/sessionpage/tabmarks'
    )
  ]);
  const { sessions } = ui.workspace;
  const { kernelspecs } = app.serviceManager;
  const marks = new TabMarks();
  const cards = new HiddenCards();
  const update = () => {
    const here = sessionHere(ui.workspace);
    if (here) {
      marks.show(here);
      // The server's default kernel is the same one.
      const { project, name } = here.session.spec;
      cards.hide(
        kernelspecs.specs,
        about => about.session === `${project}/${name}`
      );
    }
  };
  sessions.changed.connect(update);
  kernelspecs.specsChanged.connect(update);
  update();
  const watcher = watchInBackground(ui.workspace, [sessions]);
  const chip = makeChip(ui);
  chip.disposed.connect(() => {
    sessions.changed.disconnect(update);
    kernelspecs.specsChanged.disconnect(update);
    watcher.dispose();
    marks.dispose();
    cards.dispose();
  });
  app.shell.add(chip, 'top', { rank: RANK, type: 'gpuquota' });
}
