import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';
import { CommandIDs } from '../commands';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import { addSessionCommands } from './sessioncommands';

/** Make everything that can be done to a session a command. */
export const commands: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:commands',
  description:
    'Commands to open, suspend, resume, stop and delete sessions, and their palette entries.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ): void => {
    const trans = ours(translator);
    followFocus(app);
    addSessionCommands(app.commands, workspace, trans);
    const category = trans.__('GPU Workspace');
    // Of those that match what was typed equally well, what is listed first comes first.
    Object.values(CommandIDs).forEach((command, rank) => {
      palette?.addItem({ command, category, rank });
    });
  }
};

/**
 * Return the focus to the page where a command has left it on nothing: dialogs that were opened from
 * the palette have no place to give it back to.
 */
function followFocus({ commands, shell }: JupyterFrontEnd): void {
  const known = new Set<string>(Object.values(CommandIDs));
  const look = () => {
    const { currentWidget } = shell;
    if (currentWidget && document.activeElement === document.body) {
      shell.activateById(currentWidget.id);
    }
  };
  commands.commandExecuted.connect((_, { id, result }) => {
    if (known.has(id)) {
      void result.then(look, look);
    }
  });
}
