import { JupyterFrontEnd } from '@jupyterlab/application';
import { KernelSpec } from '@jupyterlab/services';
import { CommandRegistry } from '@lumino/commands';
import { Page } from '../../__tests__/page';
import { makeTemplate } from '../../__tests__/templates';
import { Template } from '../../api/models';
import { CommandIDs } from '../../commands';
import { addTemplateCommands } from '../notebooks/launcher';

const specs = (...names: string[]) =>
  ({
    default: 'python3',
    kernelspecs: Object.fromEntries(
      names.map(name => [
        `gpu-new-${name}`,
        {
          name: `gpu-new-${name}`,
          metadata: { gpuquota: { template: name } }
        }
      ])
    )
  }) as unknown as KernelSpec.ISpecModels;

const card = (label: string, title: string) => {
  const node = document.createElement('div');
  node.className = 'jp-LauncherCard';
  node.title = title;
  node.innerHTML = '<div class="jp-LauncherCard-label"></div>';
  node.firstElementChild?.append(label);
  return node;
};

const forNotebooks = (name?: string) => makeTemplate({ command: [] }, name);

describe('a template', () => {
  let page: Page;
  let commands: CommandRegistry;
  let executed: [string, unknown][];
  let kernelspecs: {
    specs: KernelSpec.ISpecModels | null;
    refreshSpecs: () => Promise<void>;
  };
  let hit: HTMLElement | undefined;

  beforeEach(() => {
    page = new Page();
    executed = [];
    commands = new CommandRegistry();
    for (const id of [CommandIDs.launch, 'notebook:create-new']) {
      commands.addCommand(id, {
        describedBy: { args: null },
        execute: args => {
          executed.push([id, args]);
        }
      });
    }
    kernelspecs = {
      specs: specs('small'),
      refreshSpecs: async () => undefined
    };
    hit = undefined;
    const app = {
      commands,
      contextMenu: { addItem: () => undefined },
      contextMenuHitTest: (test: (node: HTMLElement) => boolean) =>
        hit && test(hit) ? hit : undefined,
      serviceManager: { kernelspecs }
    } as unknown as JupyterFrontEnd;
    addTemplateCommands(app, page.store, page.trans);
  });

  afterEach(() => page.dispose());

  const know = async (...items: Template[]) => {
    page.server.on('GET /templates', { body: { items } });
    await page.store.resource('templates').refresh();
  };
  const choose = (template: string) =>
    commands.execute(CommandIDs.notebook, { template, cwd: 'work' });

  it('opens a notebook with its kernel in the folder that is shown', async () => {
    await know(forNotebooks());
    await choose('own/small');
    expect(executed).toEqual([
      ['notebook:create-new', { cwd: 'work', kernelName: 'gpu-new-small' }]
    ]);
  });

  it('that was saved a moment ago has a kernel after some looks', async () => {
    await know(forNotebooks('new'));
    let looks = 0;
    kernelspecs.refreshSpecs = async () => {
      looks += 1;
      kernelspecs.specs = looks < 3 ? specs('small') : specs('small', 'new');
    };
    await choose('own/new');
    expect(executed[0]).toEqual([
      'notebook:create-new',
      { cwd: 'work', kernelName: 'gpu-new-new' }
    ]);
  });

  it('that has no kernel fills in the form', async () => {
    await know(makeTemplate({}, 'training'));
    await choose('own/training');
    expect(executed).toEqual([
      [CommandIDs.launch, { template: 'own/training', cwd: 'work' }]
    ]);
  });

  it('of an admin is not taken for one’s own with the same name', async () => {
    await know(forNotebooks(), { ...forNotebooks(), scope: 'admin' });
    await choose('admin/small');
    expect(executed[0][0]).toBe(CommandIDs.launch);
  });

  it('is edited before launching from the menu of its card', async () => {
    await know(makeTemplate());
    hit = card('Python 3', 'Python 3 (ipykernel)');
    expect(commands.isVisible(CommandIDs.edit)).toBe(false);
    hit = card('A small one', 'A small one');
    expect(commands.isVisible(CommandIDs.edit)).toBe(true);
    await commands.execute(CommandIDs.edit);
    expect(executed).toEqual([[CommandIDs.launch, { template: 'own/small' }]]);
  });

  it('is needed for a new notebook: the palette has no such entry', () => {
    expect(commands.isVisible(CommandIDs.notebook)).toBe(false);
  });
});
