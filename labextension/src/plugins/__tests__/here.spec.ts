import { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
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

/** The kernelspecs of the account, as far as they are looked at. */
class Kernelspecs {
  specs: object | null = null;
  specsChanged = new Signal<this, object>(this);

  list(...found: [title: string, session?: string][]): void {
    const kernelspecs = found.map(([display_name, session]) => [
      display_name,
      { display_name, metadata: session ? { gpuquota: { session } } : {} }
    ]);
    this.specs = { kernelspecs: Object.fromEntries(kernelspecs) };
    this.specsChanged.emit(this.specs);
  }
}

describe('where a page is', () => {
  let page: Page;
  let commands: CommandRegistry;
  let added: [Widget, string][];
  let kernelspecs: Kernelspecs;

  const open = (id: string) => {
    jest.replaceProperty(page.store, 'here', id);
    const app = {
      commands,
      restored: Promise.resolve(),
      serviceManager: { kernelspecs },
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
    kernelspecs = new Kernelspecs();
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

  it('has the kernel of its session once in its Launcher', async () => {
    const cards = ['Python 3', 'Python 3 on exp-1', 'Python 3 on exp-2'].map(
      title => {
        const card = document.createElement('div');
        card.className = 'jp-LauncherCard';
        card.title = title;
        document.body.append(card);
        return card;
      }
    );
    const shown = () =>
      cards
        .filter(card => getComputedStyle(card).display !== 'none')
        .map(({ title }) => title);
    open('s1');
    await waitFor(() => expect(document.title).toMatch(/^exp-1 – /));
    kernelspecs.list(
      ['Python 3'],
      ['Python 3 on exp-1', 'team-a/exp-1'],
      ['Python 3 on exp-2', 'team-a/exp-2']
    );
    expect(shown()).toEqual(['Python 3', 'Python 3 on exp-2']);
    added.forEach(([widget]) => widget.dispose());
    expect(shown()).toHaveLength(3);
    cards.forEach(card => card.remove());
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
