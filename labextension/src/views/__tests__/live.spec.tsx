import { act, waitFor } from '@testing-library/react';
import {
  makeAbout,
  makeNode,
  makePage,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { showLive } from '../live/live';

describe('a live element', () => {
  let page: Page;
  let host: HTMLElement;
  let shown: AbortController;

  beforeEach(async () => {
    page = new Page();
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession({ spec: { name: 'one' } }),
        makeSession({ id: 's2', spec: { name: 'two', project: 'team-b' } })
      ])
    });
    await page.store.sessions.refresh();
    await page.store.quota.refresh();
    host = document.createElement('div');
    document.body.append(host);
    host.innerHTML = '<p>fallback</p>';
    shown = new AbortController();
  });

  afterEach(() => {
    act(() => shown.abort());
    host.remove();
    page.dispose();
  });

  const show = (attributes: Record<string, string>) => {
    Object.entries(attributes).forEach(([name, value]) =>
      host.setAttribute(name, value)
    );
    act(() => showLive(host, page.ui, shown.signal));
  };

  it('warns of what the panel warns of', async () => {
    page.server.on('GET /about', {
      body: makeAbout({ warnings: ['The quota file is broken.'] })
    });
    await page.store.about.refresh();
    show({ noun: 'quota' });
    await waitFor(() =>
      expect(host.textContent).toContain('The quota file is broken.')
    );
  });

  it.each([
    [{ noun: 'sessions' }, ['one', 'two'], []],
    [{ noun: 'sessions', project: 'team-b' }, ['two'], ['one']],
    [{ noun: 'sessions', session: 's1' }, ['one'], ['two']],
    [
      { noun: 'quota' },
      ['team-a', '1.5 of 4 GPUs in quota, fair share', 'simulated'],
      ['fallback']
    ]
  ])('shows what its attributes say: %j', async (attributes, some, none) => {
    show(attributes as unknown as Record<string, string>);
    await waitFor(() =>
      some.forEach(text => expect(host.textContent).toContain(text))
    );
    none.forEach(text => expect(host.textContent).not.toContain(text));
  });

  it.each(['sessions', 'nodes'])(
    'marks simulated GPUs once: %s',
    async noun => {
      page.server.on('GET /nodes', {
        body: { nodes: [makeNode('n1')], source: 'simulated', revision: '1' }
      });
      await page.store.nodes.refresh();
      show({ noun });
      await waitFor(() => expect(host.querySelector('tbody tr')).toBeTruthy());
      const marks = [...host.querySelectorAll('.jp-GpuQuota-badge')];
      expect(marks.map(mark => mark.parentElement?.tagName)).toEqual([
        'CAPTION'
      ]);
    }
  );

  it('names no project where one has all GPUs', async () => {
    const { projects } = makeQuota();
    page.server.on('GET /quota', {
      body: makeQuota({
        projects: projects.slice(0, 1),
        capacity: projects[0].quota
      })
    });
    await page.store.quota.refresh();
    show({ noun: 'sessions' });
    await waitFor(() => expect(host.querySelector('tbody tr')).toBeTruthy());
    expect(host.textContent).not.toContain('Project');
    expect(host.textContent).not.toContain('team-b');
  });

  it('leaves a noun alone that it does not know', () => {
    show({ noun: 'weather' });
    expect(host.textContent).toBe('fallback');
  });

  it('gives back what was there when it goes', () => {
    show({ noun: 'quota' });
    act(() => shown.abort());
    expect(host.textContent).toBe('fallback');
  });
});
