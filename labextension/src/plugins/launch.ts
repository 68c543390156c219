import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { FileDialog, IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { addIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import { gpuIcon } from '../icons';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';
import type { IWanted } from '../views/launch/widget';
import { MainArea } from './mainarea';

const ARGS = {
  type: 'object',
  properties: {
    cwd: {
      type: 'string',
      description: 'The initial folder; the default is that of the file browser'
    },
    gpu: { type: 'string', description: 'The number of GPUs, as 0.5' },
    data: {
      type: 'string',
      description: 'A version of a dataset to use, as NAME@REF'
    },
    project: { type: 'string', description: 'The project to launch it in' },
    volume: { type: 'string', description: 'The name of a volume to mount' },
    session: {
      type: 'string',
      description: 'The id of a session to launch again'
    },
    template: {
      type: 'string',
      description: 'A template to fill the form with, as SCOPE/NAME'
    }
  }
} as const;

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** Launch sessions from a form. */
export const launch: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:launch',
  description: 'The form from which sessions are launched.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [
    ITranslator,
    ILayoutRestorer,
    IStateDB,
    IDefaultFileBrowser,
    IDocumentManager
  ],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    state: IStateDB | null,
    files: IDefaultFileBrowser | null,
    manager: IDocumentManager | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { workspace, commands: app.commands, trans };
    const main = new MainArea(app, 'gpuquota-launch');
    let add: (wanted: IWanted) => void = () => undefined;
    app.commands.addCommand(CommandIDs.launch, {
      label: args => text(args.label) || trans.__('Launch a GPU Session…'),
      caption: args =>
        text(args.caption) ||
        trans.__('Launch a session with a share of a GPU'),
      icon: args => (args.isLauncher ? gpuIcon : addIcon),
      describedBy: { args: ARGS },
      execute: async args => {
        const folder =
          typeof args.cwd === 'string' ? args.cwd : here(app, files);
        const wanted = {
          gpu: text(args.gpu),
          data: text(args.data),
          project: text(args.project),
          volume: text(args.volume),
          session: text(args.session),
          template: text(args.template)
        };
        await main.show('jupyter-gpuquota:launch', {
          label: trans.__('Launch a session'),
          icon: gpuIcon,
          make: async () => {
            const { makeLaunchWidget } = await import(
              /* webpackChunkName: "pages" */ '../views/launch/widget'
            );
            const isSeen = await seesFiles(workspace);
            const made = await makeLaunchWidget({
              ui,
              state,
              folder: isSeen ? folder : '',
              chooseFolder: manager
                ? from => chooseFolder(trans, manager, from)
                : undefined
            });
            add = made.add;
            return made.widget;
          }
        });
        add(wanted); // the form may have been open before
      }
    });
    void restorer?.restore(main.tracker, {
      command: CommandIDs.launch,
      name: () => 'launch'
    });
  }
};

/** Return whether sessions see the files that the file browser shows. */
export async function seesFiles({
  about
}: Pick<IGpuWorkspace, 'about'>): Promise<boolean> {
  await about.refresh();
  const { result } = about;
  return result.status !== 'ready' || result.value.local_files;
}

/** The file browser's folder, below the server's root; empty where it shows another drive. */
function here(app: JupyterFrontEnd, files: IDefaultFileBrowser | null): string {
  const path = files?.model.path ?? '';
  const { contents } = app.serviceManager;
  return contents.driveName(path) ? '' : contents.localPath(path);
}

/** Let the user choose a folder below the server's root; null if none was chosen. */
async function chooseFolder(
  trans: TranslationBundle,
  manager: IDocumentManager,
  from: string
): Promise<string | null> {
  const { value } = await FileDialog.getExistingDirectory({
    manager,
    title: trans.__('Working folder'),
    // The dialog shows the server's folders only.
    defaultPath: from.startsWith('/') ? '' : from
  });
  return value?.[0]?.path ?? null;
}
