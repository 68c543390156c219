import { act, screen, waitFor, within } from '@testing-library/react';
import React from 'react';
import {
  makeAbout,
  makeIdle,
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { DashboardView } from '../dashboard/dashboard';
import { clockText } from '../parts/texts';

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

  it('has when queued sessions should start, where that is known', async () => {
    const expected = '2026-01-02T14:20:00Z';
    const waiting = { state: 'waiting', placement: null } as const;
    const known = makeSession({ ...waiting, id: 'a', expected });
    const unknown = makeSession({ ...waiting, id: 'b' });
    page.server.on('GET /sessions', {
      body: makePage([makeSession(), unknown])
    });
    await show();
    const header = { name: /Starts about/ };
    expect(screen.queryByRole('columnheader', header)).toBeNull();
    page.server.on('GET /sessions', {
      body: makePage([makeSession(), known, unknown])
    });
    await act(() => page.store.sessions.refresh());
    await screen.findByRole('columnheader', header);
    within(table(/Queued/)).getByText(clockText(expected));
  });

  it('has the reason in a few words, and all of it when opened', async () => {
    const reason = {
      code: 'OverQuota',
      message: "team-a's sessions already use 4 of 4 GPUs.",
      hint: 'Starts when 1 GPU is released.',
      raw: ''
    } as const;
    const wait = (id: string, changes: object) =>
      makeSession({
        id,
        state: 'waiting',
        placement: null,
        reason: { ...reason, ...changes },
        spec: { name: id }
      });
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession(),
        wait('known', {}),
        wait('other', { code: 'Other', hint: '' })
      ])
    });
    await show();
    const cell = (name: string) =>
      within(table(/Queued/))
        .getByRole('rowheader', { name })
        .parentElement!.querySelector('td:last-child')!;
    expect(cell('known').querySelector('summary')?.textContent).toBe(
      'quota used up'
    );
    expect(cell('known').querySelector('details')?.open).toBe(false);
    expect(cell('known').textContent).toBe(
      `quota used up${reason.message}${reason.hint}`
    );
    expect(cell('other').querySelector('details')).toBeNull();
    expect(cell('other').textContent).toBe(reason.message);
  });

  it('has one banner while the server is away, that of the history included', async () => {
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['history'] })
    });
    await page.store.about.refresh();
    page.store.past.history.watch();
    await show();
    await waitFor(() =>
      expect(page.store.past.history.result.status).not.toBe('pending')
    );
    page.server.isDown = true;
    await act(async () => {
      const { nodes, past, quota, sessions } = page.store;
      await Promise.all(
        [nodes, past.history, quota, sessions].map(each => each.refresh())
      );
    });
    const alerts = screen.getAllByRole('alert');
    expect(alerts).toHaveLength(1);
    expect(alerts[0].textContent).toContain('Connection lost');
  });

  it('marks what is borrowed, and what is idle', async () => {
    const over = makeProject({ over: 500, preemptible: ['train'] });
    page.server.on('GET /quota', { body: makeQuota({ projects: [over] }) });
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession({ id: 's1', spec: { name: 'guaranteed' } }),
        makeSession({
          id: 's0',
          started: '2026-01-01T08:00:00Z',
          spec: { name: 'older', kind: 'train' }
        }),
        makeSession({
          id: 's2',
          started: '2026-01-01T09:00:00Z',
          spec: { name: 'borrows', kind: 'train' }
        }),
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
    expect(['older', 'borrows', 'guaranteed', 'unused'].map(state)).toEqual([
      'Running ',
      'Running borrowed',
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
