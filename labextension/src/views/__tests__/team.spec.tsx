import {
  act,
  fireEvent,
  screen,
  waitFor,
  within
} from '@testing-library/react';
import { StateDB } from '@jupyterlab/statedb';
import React from 'react';
import {
  makeAbout,
  makeDepartment,
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { TeamView } from '../panel/team';

describe('the team', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
  });

  afterEach(() => page.dispose());

  const show = async (state: StateDB | null = null) => {
    page.show(<TeamView state={state} />);
    await screen.findAllByRole('meter');
  };

  it('says in words and as a meter what the project holds', async () => {
    await show();
    const meter = screen.getByRole('meter', { name: 'GPUs used by team-a' });
    expect(meter.getAttribute('aria-valuenow')).toBe('1500');
    expect(meter.getAttribute('aria-valuetext')).toBe('1.5 of 4 GPUs in quota');
    expect(screen.getByText('1.5 of 4 GPUs in quota')).toBeTruthy();
    expect(
      screen.getByText('All projects: 1.5 of 16 GPUs in use')
    ).toBeTruthy();
  });

  it('speaks of no project or quota where nothing is shared out', async () => {
    const projects = [makeProject({ name: 'root', quota: 2000 })];
    const quota = makeQuota({ projects, capacity: 2000, admin: true });
    page.server.on('GET /quota', { body: quota });
    await show();
    expect(await screen.findByText('This machine: 2 GPUs')).toBeTruthy();
    expect(screen.getByText('1.5 of 2 GPUs in use')).toBeTruthy();
    expect(screen.getByRole('meter', { name: 'GPUs in use' })).toBeTruthy();
    expect(screen.queryByRole('combobox')).toBeNull();
    expect(document.body.textContent).not.toMatch(/quota|project|fair|root/i);
  });

  it('says what is borrowed', async () => {
    const projects = [makeProject({ allocated: 5500, over: 1500, kept: 2500 })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    await show();
    expect(screen.getByText('4 of 4 GPUs in quota, 1.5 borrowed')).toBeTruthy();
    expect(
      screen.getByText('free for interactive: 1.5 of 4 GPUs')
    ).toBeTruthy();
  });

  it('says what the departments of a project hold', async () => {
    const departments = [
      makeDepartment({
        name: 'all',
        projects: [],
        quota: null,
        allocated: 9000
      }),
      makeDepartment({ name: 'vision', parent: 'all', limit: 12_000 }),
      makeDepartment({ name: 'text', parent: 'all', projects: ['team-b'] })
    ];
    page.server.on('GET /quota', { body: makeQuota({ departments }) });
    await show();
    const list = screen.getByRole('list', { name: 'Departments of team-a' });
    const lines = within(list).getAllByRole('listitem');
    expect(lines.map(line => line.textContent)).toEqual([
      'Department vision: 5 of 8 GPUs in quota, limit 12',
      'Department all: 9 GPUs in use'
    ]);
    const meter = within(list).getByRole('meter');
    expect(meter.getAttribute('aria-label')).toContain('vision');
  });

  it('names who holds what, me first', async () => {
    await show();
    const users = screen.getAllByRole('listitem').map(item => item.textContent);
    expect(users).toEqual(['You: 0.5 GPU', 'li: 1 GPU']);
  });

  it('says who waits, and why', async () => {
    const projects = [makeProject({ waiting: 2 })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    const reason = {
      code: 'OverQuota' as const,
      message: 'team-a is full.',
      hint: '',
      raw: ''
    };
    const waiting = ['s1', 's2'].map(id =>
      makeSession({ id, state: 'waiting', reason, spec: { name: id } })
    );
    page.server.on('GET /sessions', { body: makePage(waiting) });
    await show();
    fireEvent.click(await screen.findByText('2 sessions queued – why?'));
    expect(await screen.findByText(/team-a is full/)).toBeTruthy();
    expect(screen.getByText("2 wait for team-a's quota")).toBeTruthy();
  });

  it('says once how many sessions wait', async () => {
    const projects = [makeProject({ waiting: 1 })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    const reason = {
      code: 'OverQuota' as const,
      message: 'team-a is full.',
      hint: '',
      raw: ''
    };
    const waiting = makeSession({ state: 'waiting', reason });
    page.server.on('GET /sessions', { body: makePage([waiting]) });
    await show();
    fireEvent.click(await screen.findByText('1 session queued – why?'));
    expect(await screen.findByText(/team-a is full/)).toBeTruthy();
    expect(screen.queryByText(/1 waits/)).toBeNull();
  });

  it('remembers the chosen project', async () => {
    const projects = [makeProject(), makeProject({ name: 'team-b' })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    const state = new StateDB();
    await show(state);
    fireEvent.change(screen.getByLabelText('Project'), {
      target: { value: 'team-b' }
    });
    expect(
      screen.getByRole('meter', { name: 'GPUs used by team-b' })
    ).toBeTruthy();
    expect(await state.fetch('jupyter-gpuquota:project')).toBe('team-b');
  });

  it('goes to the project in which I queue, and stays there', async () => {
    const use = { user: 'ana', allocated: 0, waiting: 1 };
    const answer = (...users: (typeof use)[]) =>
      page.server.on('GET /quota', {
        body: makeQuota({
          projects: [
            makeProject({ users: [] }),
            makeProject({ name: 'team-b', users })
          ]
        })
      });
    answer();
    await show();
    const chosen = () => screen.getByLabelText<HTMLSelectElement>('Project');
    await waitFor(() => expect(chosen().value).toBe('team-a'));
    answer(use);
    await act(() => page.store.quota.refresh());
    await waitFor(() => expect(chosen().value).toBe('team-b'));
    answer();
    await act(() => page.store.quota.refresh());
    expect(chosen().value).toBe('team-b');
  });

  it('passes on what the backend warns of', async () => {
    const warnings = ['The state file was damaged and moved aside.'];
    page.server.on('GET /about', { body: makeAbout({ warnings }) });
    await show();
    expect(await screen.findByText(warnings[0])).toBeTruthy();
  });

  it('says that there is no GPU, and no project', async () => {
    page.server.on('GET /quota', {
      body: makeQuota({ projects: [], capacity: 0 })
    });
    page.show(<TeamView state={null} />);
    expect(
      await screen.findByText(/You are not a member of any project/)
    ).toBeTruthy();
    expect(screen.getByText(/No GPUs/)).toBeTruthy();
  });

  it('counts what other workloads hold', async () => {
    page.server.on('GET /quota', { body: makeQuota({ others: 2500 }) });
    await show();
    expect(
      await screen.findByText(/GPUs in use, 2.5 by other workloads/)
    ).toBeTruthy();
  });

  describe('’s storage', () => {
    const use = (kind: string, owner: string, changes: object = {}) => ({
      project: 'team-a',
      kind,
      owner,
      items: 2,
      size: 3 * 1024 ** 3,
      stored: 2 * 1024 ** 3,
      unknown: 0,
      ...changes
    });
    const open = async () => {
      page.server.on('GET /about', {
        body: makeAbout({ capabilities: ['snapshots'] })
      });
      await show();
      const summary = await screen.findByText('Storage');
      expect(page.server.count('GET /storage')).toBe(0);
      const details = summary.closest('details') as HTMLDetailsElement;
      details.open = true;
      fireEvent(details, new Event('toggle'));
    };
    const rows = async () =>
      (await screen.findAllByRole('row')).map(row =>
        [...row.children].map(cell => cell.textContent)
      );

    it('is counted by kind and owner, once it is opened', async () => {
      page.server.on('GET /storage', ({ query }) => {
        expect(query.get('project')).toBe('team-a');
        const items =
          query.get('by') === 'user'
            ? [use('snapshots', 'ana', { items: 1 }), use('snapshots', 'li')]
            : [use('snapshots', ''), use('volumes', '', { unknown: 1 })];
        return { body: { items, problems: [] } };
      });
      await open();
      expect(await rows()).toEqual([
        ['Kind', 'Items', 'Size', 'Stored'],
        ['Snapshots', '2', '3 GiB', '2 GiB'],
        ['You', '1', '3 GiB', '2 GiB'],
        ['li', '2', '3 GiB', '2 GiB'],
        ['Volumes', '2', '3 GiB', '2 GiB (1 unknown)']
      ]);
    });

    it('says which of it is not known', async () => {
      page.server.on('GET /storage', ({ query }) => ({
        body: {
          items:
            query.get('by') === 'user'
              ? []
              : [use('datasets', '', { unknown: 2 })],
          problems: ['The lake “big” does not answer.']
        }
      }));
      await open();
      expect((await rows())[1]).toEqual(['Datasets', '2', '3 GiB', 'unknown']);
      expect(screen.getByText(/does not answer/)).toBeTruthy();
    });

    it('says that there is none', async () => {
      page.server.on('GET /storage', { body: { items: [], problems: [] } });
      await open();
      expect(await screen.findByText('Nothing is stored yet.')).toBeTruthy();
    });
  });
});
