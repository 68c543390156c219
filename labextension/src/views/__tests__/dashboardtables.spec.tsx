import { screen, within } from '@testing-library/react';
import React from 'react';
import {
  makeIdle,
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { DashboardView } from '../dashboard/dashboard';

describe('the tables of the dashboard', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /nodes', {
      body: { nodes: [], source: 'simulated', revision: '1' }
    });
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
  });

  afterEach(() => page.dispose());

  const show = async () => {
    page.store.nodes.watch();
    page.show(<DashboardView renderMime={null} />);
    await screen.findByRole('table', { name: /Running/ });
    await screen.findByRole('heading', { name: /Projects/ });
  };
  const table = (name: RegExp) => screen.getByRole('table', { name });
  const rows = (name: RegExp) =>
    within(table(name))
      .getAllByRole('rowheader')
      .map(cell => cell.textContent);

  it('says once for all queued sessions what they wait for', async () => {
    const wait = (id: string, code: string, project: string, place: number) =>
      makeSession({
        id,
        state: 'waiting',
        placement: null,
        queue_position: place,
        reason: { code, message: `${code}.`, hint: '', raw: '' },
        spec: { name: id, project }
      });
    page.server.on('GET /sessions', {
      body: makePage([
        wait('b2', 'Fragmented', 'team-b', 2),
        wait('b1', 'OverQuota', 'team-b', 1),
        wait('a2', 'OverQuota', 'team-a', 2),
        wait('a1', 'OverQuota', 'team-a', 1),
        makeSession()
      ])
    });
    await show();
    screen.getByText(
      "2 wait for team-a's quota · 1 waits for team-b's quota · " +
        '1 waits for enough room on one GPU or node'
    );
    expect(rows(/Queued/)).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('marks what can be reclaimed, and what is idle', async () => {
    const over = makeProject({ over: 500, preemptible: ['train'] });
    page.server.on('GET /quota', { body: makeQuota({ projects: [over] }) });
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession({ id: 's1', spec: { name: 'guaranteed' } }),
        makeSession({ id: 's2', spec: { name: 'borrows', kind: 'train' } }),
        makeSession({
          id: 's3',
          spec: { name: 'unused' },
          idle: makeIdle(22, 48)
        })
      ])
    });
    await show();
    const state = (name: string) =>
      within(table(/Running/))
        .getByRole('rowheader', { name })
        .parentElement!.querySelector('td:nth-of-type(6)')!.textContent;
    expect(['borrows', 'guaranteed', 'unused'].map(state)).toEqual([
      'Running reclaimable',
      'Running ',
      'Running idle 22 min'
    ]);
  });

  it('offers nothing to filter or save where a table is empty', async () => {
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    await show();
    expect(screen.getByText('No queued sessions')).toBeTruthy();
    expect(screen.queryByLabelText('Filter: Queued sessions')).toBeNull();
    expect(screen.getByLabelText('Filter: Running sessions')).toBeTruthy();
  });

  it('names everybody of a large team when asked', async () => {
    const users = Array.from({ length: 9 }, (_, index) => ({
      user: `user-${index}`,
      allocated: 1000,
      waiting: 0
    }));
    page.server.on('GET /quota', {
      body: makeQuota({ projects: [makeProject({ users })] })
    });
    await show();
    const people = screen.getByLabelText('People in team-a').closest('details');
    expect(people?.open).toBe(false);
    expect(people?.querySelectorAll('tbody tr')).toHaveLength(9);
  });
});
