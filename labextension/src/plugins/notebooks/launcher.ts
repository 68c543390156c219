import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { DisposableSet, IDisposable } from '@lumino/disposable';
import { CommandIDs } from '../../commands';
import { watchInBackground } from '../../state/background';
import { keyOf } from '../../state/templates/key';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import { HiddenCards } from './hiddencards';
import { addTemplateCommands, captionOf, labelOf } from './templatenotebook';

/** Put cards into a category of the launcher: for the form, each template and the dashboard. */
export const launcher: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:launcher',
  description:
    'Cards in the launcher: the launch form, a new notebook for each template, and the dashboard.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ILauncher, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    launcher: ILauncher | null,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    addTemplateCommands(app, workspace, trans);
    if (!launcher) {
      return;
    }
    const category = trans.__('GPU');
    const add = (command: string, rank: number, args: IArgs = {}) =>
      launcher.add({
        command,
        args: { isLauncher: true, ...args },
        category,
        rank
      });
    add(CommandIDs.launch, 0);
    add(CommandIDs.launch, 1, {
      gpu: '0.5',
      label: trans.__('½ GPU…'),
      caption: trans.__('Launch a session with half a GPU')
    });
    add(CommandIDs.dashboard, LAST);
    hideConsoles(app, translator);
    void app.restored.then(() => {
      followTemplates(workspace, (rank, args) =>
        add(CommandIDs.notebook, rank, args)
      );
    });
  }
};

type IArgs = Record<string, string>;

/** Of the cards of templates, after those for the form. */
const FIRST = 2;

/** After the cards of templates. */
const LAST = 1000;

/** Leave sessions and templates one card for notebooks; new consoles choose among all kernels. */
function hideConsoles(
  { serviceManager: { kernelspecs } }: JupyterFrontEnd,
  translator: ITranslator | null
): void {
  const trans = (translator ?? nullTranslator).load('jupyterlab');
  const cards = new HiddenCards(trans.__('Console'));
  const update = () =>
    cards.hide(kernelspecs.specs, ({ session, template }) =>
      Boolean(session || template)
    );
  kernelspecs.specsChanged.connect(update);
  update();
}

/** Keep a card for each template, once the controller says that it keeps them. */
function followTemplates(
  workspace: IGpuWorkspace,
  add: (rank: number, args: IArgs) => IDisposable
): void {
  const { about } = workspace;
  const templates = workspace.resource('templates');
  let cards = new DisposableSet();
  const show = () => {
    const { result } = templates;
    if (result.status === 'ready') {
      cards.dispose();
      cards = DisposableSet.from(
        result.value.items.map((item, index) =>
          add(index + FIRST, {
            template: keyOf(item),
            label: labelOf(item),
            caption: captionOf(item)
          })
        )
      );
    }
  };
  const begin = () => {
    const { result } = about;
    if (
      result.status === 'ready' &&
      result.value.capabilities.includes('templates')
    ) {
      about.changed.disconnect(begin);
      templates.changed.connect(show);
      watchInBackground(workspace, [templates]);
      show();
    }
  };
  about.changed.connect(begin);
  begin();
}
