import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import {
  ITranslator,
  nullTranslator,
  TranslationBundle
} from '@jupyterlab/translation';
import { DisposableSet, IDisposable } from '@lumino/disposable';
import { CommandIDs } from '../../commands';
import { watchInBackground } from '../../state/background';
import { hasKernel, kernelOf, keyOf } from '../../state/templates/key';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import { HiddenCards } from './hiddencards';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Template } from '../../api/models';
import { gpuIcon } from '../../icons';

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

const ARGS = {
  type: 'object',
  properties: {
    template: { type: 'string', description: 'The template, as SCOPE/NAME' },
    cwd: { type: 'string', description: 'The folder of the notebook' }
  }
} as const;

/** JupyterLab's own command, of another extension. */
const CREATE = 'notebook:create-new';
const CARD = 'jp-LauncherCard';

/** How often the kernelspec of a template is looked for: the server writes it after the template. */
const LOOKS = 10;
const PAUSE = 500; // milliseconds

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** Add commands that use a template: for a new notebook, and to fill in the form. */
export function addTemplateCommands(
  app: JupyterFrontEnd,
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): void {
  const { commands } = app;
  commands.addCommand(CommandIDs.notebook, {
    label: args => text(args.label) || trans.__('New Notebook on a GPU'),
    caption: args => text(args.caption) || text(args.label),
    icon: gpuIcon,
    describedBy: { args: ARGS },
    isVisible: args => Boolean(args.template),
    execute: args => createNotebook(app, workspace, args)
  });
  const card = () =>
    app.contextMenuHitTest(({ classList }) => classList.contains(CARD));
  const shown = () => cardsTemplate(workspace, card());
  commands.addCommand(CommandIDs.edit, {
    label: trans.__('Edit Before Launching…'),
    describedBy: { args: { type: 'object', properties: {} } },
    isVisible: () => Boolean(shown()),
    execute: () => {
      const found = shown();
      return found && commands.execute(CommandIDs.launch, toForm(found));
    }
  });
  app.contextMenu.addItem({ command: CommandIDs.edit, selector: `.${CARD}` });
}

const toForm = (template: Template) => ({ template: keyOf(template) });

function known(workspace: IGpuWorkspace): readonly Template[] {
  const { result } = workspace.resource('templates');
  return result.status === 'ready' ? result.value.items : [];
}

/** Return the template of a card in the launcher, which has no mark but its texts. */
function cardsTemplate(
  workspace: IGpuWorkspace,
  card: HTMLElement | undefined
): Template | undefined {
  const label = card?.querySelector(`.${CARD}-label`)?.textContent?.trim();
  return known(workspace).find(
    item => captionOf(item) === card?.title && labelOf(item) === label
  );
}

/** What the card of a template says. */
const labelOf = ({ title, name }: Template): string => title || name;

/** What the card of a template says when the pointer is over it. */
const captionOf = (template: Template): string =>
  template.description || labelOf(template);

/**
 * Open a new notebook whose kernel launches a template, in the folder that is shown.
 *
 * A template that is not for notebooks, or without a kernelspec, fills in the form instead.
 */
async function createNotebook(
  { commands, serviceManager }: JupyterFrontEnd,
  workspace: IGpuWorkspace,
  args: ReadonlyPartialJSONObject
): Promise<unknown> {
  const { kernelspecs } = serviceManager;
  const template = text(args.template);
  const find = () => kernelOf(template, known(workspace), kernelspecs.specs);
  const looks = hasKernel(template, known(workspace)) ? LOOKS : 0;
  for (let look = 0; look < looks && !find(); look += 1) {
    await new Promise(resolve => window.setTimeout(resolve, look && PAUSE));
    await kernelspecs.refreshSpecs();
  }
  const kernelName = find();
  return kernelName && commands.hasCommand(CREATE)
    ? commands.execute(CREATE, { cwd: text(args.cwd), kernelName })
    : commands.execute(CommandIDs.launch, args);
}
