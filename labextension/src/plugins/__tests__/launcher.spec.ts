import { JupyterFrontEnd } from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Page } from '../../__tests__/page';
import { launcher } from '../notebooks/launcher';

const spec = (display_name: string, gpuquota?: object) => ({
  display_name,
  metadata: gpuquota ? { gpuquota } : {}
});

describe('the Launcher', () => {
  let page: Page;
  let cards: HTMLElement[];

  beforeEach(() => {
    page = new Page();
    cards = [];
  });

  afterEach(() => {
    cards.forEach(card => card.remove());
    page.dispose();
  });

  const draw = (category: string, title: string) => {
    const card = document.createElement('div');
    card.className = 'jp-LauncherCard';
    card.dataset.category = category;
    card.title = title;
    document.body.append(card);
    cards.push(card);
  };

  it('has one card for each session and template that runs notebooks', () => {
    const found = [
      spec('Python 3'),
      spec('Python 3 on "a"', { session: 'team-a/a' }),
      spec('Python 3 on a new GPU', { template: 'small' })
    ];
    for (const { display_name } of found) {
      draw('Notebook', display_name);
      draw('Console', display_name);
    }
    const kernelspecs: { specs: object | null; specsChanged?: object } = {
      specs: null
    };
    const specsChanged = new Signal<object, void>(kernelspecs);
    kernelspecs.specsChanged = specsChanged;
    const app = {
      commands: new CommandRegistry(),
      contextMenu: { addItem: () => undefined },
      restored: new Promise(() => undefined),
      serviceManager: { kernelspecs }
    } as unknown as JupyterFrontEnd;
    const added = { add: () => undefined } as unknown as ILauncher;
    void launcher.activate(app, page.store, added, null);
    const shown = (category: string) =>
      cards
        .filter(card => card.dataset.category === category)
        .filter(card => getComputedStyle(card).display !== 'none')
        .map(({ title }) => title);
    expect(shown('Console')).toHaveLength(3);
    kernelspecs.specs = { kernelspecs: { ...found } };
    specsChanged.emit();
    expect(shown('Console')).toEqual(['Python 3']);
    expect(shown('Notebook')).toHaveLength(3);
  });
});
