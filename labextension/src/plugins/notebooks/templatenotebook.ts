import { JupyterFrontEnd } from '@jupyterlab/application';
import { TranslationBundle } from '@jupyterlab/translation';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Template } from '../../api/models';
import { CommandIDs } from '../../commands';
import { gpuIcon } from '../../icons';
import { hasKernel, kernelOf, keyOf } from '../../state/templates/key';
import { IGpuWorkspace } from '../../tokens';

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
export const labelOf = ({ title, name }: Template): string => title || name;

/** What the card of a template says when the pointer is over it. */
export const captionOf = (template: Template): string =>
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
