import { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { TabPanel, Widget } from '@lumino/widgets';
import { gpuIcon } from '../../icons';
import { MainArea } from '../mainarea';
import { addToTree } from '../shell';

/** A shell whose main area takes a number of widgets; Notebook 7's takes one. */
class Shell {
  constructor(private _room: number) {}

  readonly main: Widget[] = [];
  readonly down: Widget[] = [];
  active = '';

  add(widget: Widget, area: 'main' | 'down'): void {
    if (area === 'down' || this.main.length < this._room) {
      this[area].push(widget);
      Widget.attach(widget, document.body);
    }
  }

  activateById(id: string): void {
    this.active = id;
  }
}

describe('the main area', () => {
  let made: MainAreaWidget[];

  beforeEach(() => {
    made = [];
  });

  afterEach(() => made.forEach(widget => widget.dispose()));

  const start = (shell = new Shell(9)) => ({
    shell,
    main: new MainArea({ shell } as unknown as JupyterFrontEnd, 'tests')
  });
  const making = {
    label: 'One',
    icon: gpuIcon,
    make: async () => {
      const widget = new MainAreaWidget({ content: new Widget() });
      made.push(widget);
      return widget;
    }
  };

  it('makes a widget once, however often and fast it is asked', async () => {
    const { main, shell } = start();
    await Promise.all([main.show('one', making), main.show('one', making)]);
    await main.show('two', making);
    await main.show('one', making);
    expect(made.map(({ id }) => id)).toEqual(['one', 'two']);
    expect(made[0].title).toMatchObject({ label: 'One', closable: true });
    expect(shell.active).toBe('one');
    expect(main.tracker.size).toBe(2);
  });

  it('makes it anew once it was closed', async () => {
    const { main } = start();
    await main.show('one', making);
    made[0].dispose();
    await main.show('one', making);
    expect(made).toHaveLength(2);
  });

  it('tries again where it could not be made', async () => {
    const { main } = start();
    const fails = {
      ...making,
      make: () => Promise.reject(new Error('no such chunk'))
    };
    await expect(main.show('one', fails)).rejects.toThrow('no such chunk');
    await main.show('one', making);
    expect(made).toHaveLength(1);
  });

  it('shows below what there is no room for, as in Notebook 7', async () => {
    const { main, shell } = start(new Shell(0));
    await main.show('one', making);
    expect(shell.down).toEqual(made);
    expect(shell.active).toBe('one');
  });

  it('selects the tab of what is below others', async () => {
    const below = new TabPanel();
    const shell = new Shell(0);
    shell.add = widget => below.addWidget(widget);
    const { main } = start(shell);
    await main.show('one', making);
    await main.show('two', making);
    expect(below.currentWidget?.id).toBe('two');
    await main.show('one', making);
    expect(below.currentWidget?.id).toBe('one');
    below.dispose();
  });
});

test('a panel is a tab beside the files of Notebook 7, and nowhere else', () => {
  const panel = new Widget();
  panel.title.caption = 'GPU Workspace';
  const show = (main: Widget) =>
    addToTree(
      { shell: { widgets: () => [main] } } as unknown as JupyterFrontEnd,
      panel
    );
  const other = new TabPanel();
  show(other);
  expect(panel.parent).toBeNull();
  const tree = new TabPanel();
  tree.addClass('jp-TreePanel');
  show(tree);
  expect(tree.widgets).toEqual([panel]);
  expect(panel.title.label).toBe('GPU Workspace');
  [other, tree].forEach(widget => widget.dispose());
});
