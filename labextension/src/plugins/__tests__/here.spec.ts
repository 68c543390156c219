import { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';
import { waitFor } from '@testing-library/react';
import { BroadcastChannel } from 'worker_threads';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
// Loaded before, as the plugin itself loads them when a page is a session's only.
import '../../views/sessionpage/chip';
import '../../views/sessionpage/tabmarks';
import { here } from '../sessionpage/here';
import { answerReveals } from '../../state/sessionpage/revealing';

// jsdom has none.
Object.assign(window, { BroadcastChannel });

describe('where a page is', () => {
  let page: Page;
  let commands: CommandRegistry;
  let added: [Widget, string][];

  const open = (id: string) => {
    jest.replaceProperty(page.store, 'here', id);
    const app = {
      commands,
      restored: Promise.resolve(),
      shell: {
        add: (widget: Widget, area: string) => added.push([widget, area])
      }
    } as unknown as JupyterFrontEnd;
    void here.activate(app, page.store, null);
  };

  beforeEach(() => {
    page = new Page();
    commands = new CommandRegistry();
    added = [];
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
  });

  afterEach(() => {
    added.forEach(([widget]) => widget.dispose());
    page.dispose();
    document.title = '';
    jest.restoreAllMocks();
  });

  it("is shown at the top and in the title of a session's own page", async () => {
    open('s1');
    await waitFor(() => expect(document.title).toMatch(/^exp-1 – /));
    expect(added.map(([, area]) => area)).toEqual(['top']);
  });

  it('leads back to the JupyterLab that shows the session', async () => {
    const browse = jest.spyOn(window, 'open').mockReturnValue(null);
    open('s1');
    expect(commands.isVisible(CommandIDs.back)).toBe(true);
    await commands.execute(CommandIDs.back);
    expect(browse).toHaveBeenCalledWith(
      'http://hub.test/user/ana/lab?reveal=s1',
      '_blank',
      'noopener'
    );
  });

  it('has a JupyterLab that is open show the session', async () => {
    const browse = jest.spyOn(window, 'open').mockReturnValue(null);
    open('s1');
    await page.store.sessions.refresh();
    const shown: string[] = [];
    const lab = answerReveals(page.store.jupyterLab, id => shown.push(id));
    await commands.execute(CommandIDs.back);
    lab.dispose();
    expect(shown).toEqual(['s1']);
    expect(browse).not.toHaveBeenCalled();
    const [notice] = Notification.manager.notifications;
    expect(notice.message).toBe(
      'exp-1 is selected in the tab where JupyterLab is open.'
    );
    Notification.dismiss();
  });

  it('is nothing to say of any other JupyterLab', async () => {
    document.title = 'JupyterLab';
    open('');
    await page.store.sessions.refresh();
    expect(commands.isVisible(CommandIDs.back)).toBe(false);
    expect(added).toEqual([]);
    expect(document.title).toBe('JupyterLab');
  });
});
