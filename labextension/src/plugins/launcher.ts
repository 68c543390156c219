import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { CommandIDs } from '../commands';
import { IGpuWorkspace } from '../tokens';

/** Put a card into the launcher. */
export const launcher: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:launcher',
  description: 'A card in the launcher that opens the launch form.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ILauncher],
  activate: (
    _: JupyterFrontEnd,
    __: IGpuWorkspace,
    launcher: ILauncher | null
  ): void => {
    launcher?.add({
      command: CommandIDs.launch,
      args: { isLauncher: true },
      // One of JupyterLab's own, which it translates itself.
      // eslint-disable-next-line jupyter/no-untranslated-string
      category: 'Other',
      rank: 5
    });
  }
};
