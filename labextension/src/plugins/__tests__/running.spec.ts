import { waitFor } from '@testing-library/react';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { makeManager } from '../running';

describe('the Running panel', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
  });

  afterEach(() => page.dispose());

  const stops = () =>
    page.server.asked.filter(({ path }) => path.endsWith('/stop')).length;
  const make = async () => {
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession(),
        makeSession({ id: 's2', owner: 'li' }),
        makeSession({ id: 's3', state: 'failed' }),
        makeSession({ id: 's4', state: 'starting', placement: null }),
        makeSession({ id: 's5', state: 'waiting', placement: null })
      ])
    });
    const manager = makeManager(page.store, page.commands, page.trans);
    const changed = jest.fn();
    manager.runningChanged.connect(changed);
    await page.store.about.refresh();
    await page.store.sessions.refresh();
    expect(changed).toHaveBeenCalled();
    return manager;
  };

  it('lists what is mine and goes on', async () => {
    const items = (await make()).running({ mode: 'list' });
    expect(items.map(item => item.detail?.()).sort()).toEqual([
      '½ GPU',
      '½ GPU, simulated'
    ]);
    expect(items[0].labelTitle?.()).toContain('team-a');
  });

  it('says so at once if the sessions are known before whose they are', async () => {
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    const manager = makeManager(page.store, page.commands, page.trans);
    await page.store.sessions.refresh();
    const counts: number[] = [];
    manager.runningChanged.connect(() => {
      counts.push(manager.running({ mode: 'list' }).length);
    });
    await page.store.about.refresh();
    expect(counts).toEqual([1]);
  });

  it('opens what runs, and describes what starts', async () => {
    (await make()).running({ mode: 'list' }).forEach(item => item.open?.());
    expect(page.executed.sort()).toEqual([
      [CommandIDs.open, 's1'],
      [CommandIDs.details, 's4']
    ]);
  });

  it('is not drawn anew for what it does not show', async () => {
    const manager = await make();
    const changed = jest.fn();
    manager.runningChanged.connect(changed);
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession({
          usage: { at: '', memory: 1, over: false, peak: 1, since: null }
        }),
        makeSession({ id: 's4', state: 'starting', placement: null })
      ])
    });
    await page.store.sessions.refresh();
    expect(changed).not.toHaveBeenCalled();
    page.server.on('GET /sessions', { body: makePage([]) });
    await page.store.sessions.refresh();
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it('stops one, and all', async () => {
    for (const id of ['s1', 's4']) {
      page.server.on(`POST /sessions/${id}/stop`, { body: makeSession() });
    }
    const manager = await make();
    manager.running({ mode: 'list' })[0].shutdown?.();
    await waitFor(() => expect(stops()).toBe(1));
    manager.shutdownAll();
    await waitFor(() => expect(stops()).toBe(3));
  });
});
