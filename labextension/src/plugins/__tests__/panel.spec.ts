import { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { TabPanel, Widget } from '@lumino/widgets';
import { waitFor } from '@testing-library/react';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { panel } from '../panel';

/** Its content is tested by itself; here it is drawn when a test says so. */
jest.mock('../../views/panel/sidebar', () => ({
  Sidebar: jest.requireActual('@lumino/widgets').Widget
}));

describe('the command that shows the panel', () => {
  let page: Page;
  let commands: CommandRegistry;
  let shown: Widget;

  beforeEach(() => {
    page = new Page();
    commands = new CommandRegistry();
    const app = {
      commands,
      restored: new Promise(() => undefined),
      shell: {
        add: (widget: Widget) => (shown = widget),
        activateById: () => shown.activate()
      }
    } as unknown as JupyterFrontEnd;
    void panel.activate(app, page.store, null, null, null);
  });

  afterEach(() => {
    shown.dispose();
    page.dispose();
  });

  it('gives it the focus even before its sessions are drawn', async () => {
    Widget.attach(shown, document.body);
    await commands.execute(CommandIDs.showPanel);
    await waitFor(() => expect(document.activeElement).toBe(shown.node));
  });

  it('gives a session the focus once there is one', async () => {
    Widget.attach(shown, document.body);
    shown.node.innerHTML =
      '<button>Dashboard</button><div data-row="s1" tabindex="0"></div>';
    await commands.execute(CommandIDs.showPanel);
    await waitFor(() =>
      expect(document.activeElement?.hasAttribute('data-row')).toBe(true)
    );
  });

  const draw = () => {
    const row = document.createElement('div');
    row.dataset.row = 's1';
    row.tabIndex = 0;
    return shown.node.appendChild(row);
  };

  it('moves the focus to a session that is drawn later', async () => {
    Widget.attach(shown, document.body);
    await commands.execute(CommandIDs.showPanel);
    await waitFor(() => expect(document.activeElement).toBe(shown.node));
    const row = draw();
    await waitFor(() => expect(document.activeElement).toBe(row));
  });

  it('leaves the focus where the user has put it meanwhile', async () => {
    const field = document.body.appendChild(document.createElement('input'));
    Widget.attach(shown, document.body);
    await commands.execute(CommandIDs.showPanel);
    await waitFor(() => expect(document.activeElement).toBe(shown.node));
    field.focus();
    draw();
    await new Promise(resolve => setTimeout(resolve)); // observers have been called
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it('leaves the focus where the user has put it while it is loaded', async () => {
    const field = document.body.appendChild(document.createElement('input'));
    Widget.attach(shown, document.body);
    const showing = commands.execute(CommandIDs.showPanel);
    MessageLoop.flush();
    expect(document.activeElement).toBe(shown.node);
    field.focus();
    draw();
    await showing;
    await new Promise(resolve => setTimeout(resolve));
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it('selects its tab beside the files of Notebook 7', async () => {
    const tree = new TabPanel();
    tree.addWidget(new Widget());
    tree.addWidget(shown);
    Widget.attach(tree, document.body);
    await commands.execute(CommandIDs.showPanel);
    expect(tree.currentWidget).toBe(shown);
    tree.dispose();
  });
});
