import { JupyterFrontEnd } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import { waitFor } from '@testing-library/react';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { gpuIcon } from '../../icons';
import { commands as plugin } from '../commands';
import { details } from '../details';

describe('the commands in the palette', () => {
  let page: Page;
  let commands: CommandRegistry;
  let ranks: Map<string, number>;
  let activated: string[];

  beforeEach(() => {
    page = new Page();
    commands = new CommandRegistry();
    ranks = new Map();
    const palette = {
      addItem: ({ command, rank }: { command: string; rank: number }) =>
        ranks.set(command, rank)
    } as unknown as ICommandPalette;
    activated = [];
    const shell = {
      currentWidget: { id: 'a-notebook' },
      activateById: (id: string) => activated.push(id)
    };
    const app = { commands, shell } as unknown as JupyterFrontEnd;
    void plugin.activate(app, page.store, null, palette);
    void details.activate(
      { commands, restored: Promise.resolve() } as unknown as JupyterFrontEnd,
      page.store,
      null,
      null
    );
  });

  afterEach(() => page.dispose());

  it('begin with the launch form, and have the view of admins after what all use', () => {
    const [first] = [...ranks].sort(([, a], [, b]) => a - b);
    expect(first[0]).toBe(CommandIDs.launch);
    expect(ranks.size).toBe(Object.values(CommandIDs).length);
    for (const id of [CommandIDs.showPanel, CommandIDs.dashboard]) {
      expect(ranks.get(id)).toBeLessThan(ranks.get(CommandIDs.projects)!);
    }
  });

  it('keep a session alive only where the policy would end it', async () => {
    const kept = makeSession();
    const actions = kept.actions.filter(action => action !== 'keep_alive');
    expect(actions).not.toEqual(kept.actions);
    page.server.on('GET /sessions', {
      body: makePage([kept, { ...makeSession({ id: 's2' }), actions }])
    });
    await page.store.sessions.refresh();
    const isVisible = (id: string) =>
      commands.isVisible(CommandIDs.keepAlive, { id });
    expect([isVisible('s1'), isVisible('s2')]).toEqual([true, false]);
  });

  it('leave the focus in the page, not on nothing, and take it from nobody', async () => {
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    page.server.on('POST /sessions/s1/keep-alive', { body: makeSession() });
    await page.store.sessions.refresh();
    const keep = () => commands.execute(CommandIDs.keepAlive, { id: 's1' });
    await keep();
    await waitFor(() => expect(activated).toEqual(['a-notebook']));
    const input = document.body.appendChild(document.createElement('input'));
    input.focus();
    await keep();
    await new Promise(done => setTimeout(done));
    expect(activated).toHaveLength(1);
    input.remove();
  });

  it('leave the icon of the extension to what opens it', () => {
    const own = [CommandIDs.details, CommandIDs.stop, CommandIDs.suspend];
    for (const id of own) {
      expect(commands.icon(id)).toBeDefined();
      expect(commands.icon(id)).not.toBe(gpuIcon);
    }
  });
});
