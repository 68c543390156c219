import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { refreshIcon } from '@jupyterlab/ui-components';
import { CommandIDs, NO_ARGS } from '../commands';
import { gpuIcon } from '../icons';
import { answerReveals, takeRevealed } from '../state/sessionpage/revealing';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import { addSections } from '../views/panel/sections';
import { addToTree, goTo } from './shell';
import { LazyWidget } from '../views/parts/lazy';
import type { IUi } from '../views/parts/ui';

/** The panel's id in the shell, and in the layout that is restored. */
const PANEL_ID = 'jupyter-gpuquota:panel';
/** After the panels of JupyterLab itself. */
const RANK = 600;

/** Show the panel: quota and sessions, and whatever sections others add. */
export const panel: JupyterFrontEndPlugin<void> = {
  id: PANEL_ID,
  description: 'The panel "GPU Workspace" with quota and sessions.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator, ILayoutRestorer, IStateDB],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    state: IStateDB | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { workspace, commands: app.commands, trans };
    addSections(ui, state);
    const widget = new LazyPanel(async () => {
      const { Sidebar } = await import(
        /* webpackChunkName: "panel" */ '../views/panel/sidebar'
      );
      return new Sidebar(ui, translator ?? nullTranslator, state);
    });
    widget.addClass('jp-GpuQuota-panel');
    widget.id = PANEL_ID;
    widget.title.icon = gpuIcon;
    widget.title.caption = trans.__('GPU Workspace');
    app.shell.add(widget, 'left', { rank: RANK, type: 'gpuquota' });
    restorer?.add(widget, PANEL_ID);
    void app.restored.then(() => addToTree(app, widget));
    addCommands(app, ui, widget);
    if (!workspace.here) {
      void app.restored.then(() => followReveals(app, workspace));
    }
  }
};

/** Show the sessions that their own pages ask for on the way back. */
function followReveals(app: JupyterFrontEnd, workspace: IGpuWorkspace): void {
  const reveal = (id: string) => {
    void app.commands
      .execute(CommandIDs.showPanel)
      .then(() => workspace.reveal(id));
  };
  const wanted = takeRevealed(window);
  if (wanted) {
    // What the layout restores would take the focus.
    void app.restored.then(() => {
      reveal(wanted);
      whileUnused(app, () => reveal(wanted));
    });
  }
  const answers = answerReveals(workspace.jupyterLab, reveal);
  window.addEventListener('pagehide', () => answers.dispose());
}

/** Call back when something else is opened before the user does anything: the launcher, say. */
function whileUnused({ shell }: JupyterFrontEnd, callback: () => void): void {
  const stop = () => {
    shell.currentChanged?.disconnect(callback);
    document.removeEventListener('pointerdown', stop, true);
    document.removeEventListener('keydown', stop, true);
  };
  shell.currentChanged?.connect(callback);
  document.addEventListener('pointerdown', stop, true);
  document.addEventListener('keydown', stop, true);
}

function addCommands(app: JupyterFrontEnd, ui: IUi, widget: LazyPanel): void {
  const { trans, workspace } = ui;
  app.commands.addCommand(CommandIDs.showPanel, {
    label: trans.__('Show the GPU Workspace'),
    icon: gpuIcon,
    describedBy: { args: NO_ARGS },
    execute: async () => {
      goTo(app, widget);
      await widget.loaded;
    }
  });
  app.commands.addCommand(CommandIDs.refresh, {
    label: trans.__('Refresh the GPU Workspace'),
    caption: trans.__('Refresh'),
    icon: refreshIcon,
    describedBy: { args: NO_ARGS },
    execute: () => workspace.refresh()
  });
}

/** The panel's place in the sidebar; its content is loaded when first shown, to start faster. */
class LazyPanel extends LazyWidget {
  protected onActivateRequest(): void {
    // Without rows, and until they are drawn, Tab goes on from the panel itself.
    this.node.tabIndex = -1;
    this.node.focus();
    this._drawn.disconnect();
    if (!this._focusRow()) {
      this._drawn.observe(this.node, { childList: true, subtree: true });
    }
  }

  dispose(): void {
    this._drawn.disconnect();
    super.dispose();
  }

  /** Move the focus to a session. Return false if there is none yet. */
  private _focusRow(): boolean {
    const row = this.node.querySelector<HTMLElement>(
      '[data-row][tabindex="0"]'
    );
    row?.focus();
    return Boolean(row);
  }

  /** Sees sessions being drawn, as long as the user has not gone elsewhere. */
  private readonly _drawn = new MutationObserver(() => {
    if (document.activeElement !== this.node || this._focusRow()) {
      this._drawn.disconnect();
    }
  });
}
