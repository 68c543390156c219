import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import React from 'react';
import {
  makeDepartment,
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { focus, Page } from '../../__tests__/page';
import { DashboardView } from '../dashboard/dashboard';
import { NODE } from './nodes';

const WAITING = makeSession({
  id: 'w1',
  state: 'waiting',
  placement: null,
  queue_position: 2,
  since: new Date(Date.now() - 65 * 60_000).toISOString(),
  reason: {
    code: 'OverQuota',
    message: 'team-b is full.',
    hint: 'Request less.',
    raw: ''
  },
  spec: { name: '=waits', project: 'team-b', kind: 'train' }
});

describe('the dashboard', () => {
  let page: Page;
  let saved: Blob[];
  let names: string[];

  beforeEach(() => {
    page = new Page();
    saved = [];
    names = [];
    URL.createObjectURL = blob => {
      saved.push(blob as Blob);
      return 'blob:test';
    };
    URL.revokeObjectURL = () => undefined;
    HTMLAnchorElement.prototype.click = function () {
      names.push(this.download);
    };
    page.server.on('GET /nodes', {
      body: { nodes: [NODE], source: 'simulated', revision: '1' }
    });
    page.server.on('GET /sessions', {
      body: makePage([
        makeSession({ id: 's10', spec: { name: 'exp-10' } }),
        makeSession({ id: 's2', spec: { name: 'exp-2' }, owner: 'li' }),
        WAITING,
        makeSession({ id: 'old', state: 'done', spec: { name: 'over' } })
      ])
    });
  });

  afterEach(() => page.dispose());

  const show = async () => {
    page.store.nodes.watch();
    page.show(<DashboardView renderMime={null} />);
    await screen.findByRole('table', { name: /Running/ });
    await screen.findByText('dgx1-1');
    await screen.findByRole('heading', { name: /Projects/ });
  };
  const table = (name: RegExp) => screen.getByRole('table', { name });
  const rows = (name: RegExp) =>
    within(table(name))
      .getAllByRole('rowheader')
      .map(cell => cell.textContent);
  const text = (blob: Blob) =>
    new Promise<string>(resolve => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result as string);
      reader.readAsText(blob);
    });

  it('says how many GPUs there are, in use and free, and that they are simulated', async () => {
    await show();
    const texts = (role: string) =>
      screen.getAllByRole(role).map(item => item.textContent);
    expect(texts('term')).toEqual([
      'GPUs',
      'In use',
      'Free',
      'Queued sessions'
    ]);
    expect(texts('definition')).toEqual(['16', '1.5', '14.5', '0']);
    expect(screen.getAllByText('simulated')).toHaveLength(1);
  });

  it('lists departments as a tree where the engine has any', async () => {
    const departments = [
      makeDepartment({ name: 'art', parent: 'vision', projects: [] }),
      makeDepartment({ name: 'all', projects: [], limit: 16_000 }),
      makeDepartment({ name: 'vision', parent: 'all', quota: null })
    ];
    page.server.on('GET /quota', { body: makeQuota({ departments }) });
    await show();
    const cells = within(table(/Departments/)).getAllByRole('row');
    const lines = cells.slice(1).map(row => [...row.children]);
    expect(lines.map(row => row.map(cell => cell.textContent))).toEqual([
      ['all', '', '', '5', '8', '16'],
      ['vision', 'all', 'team-a', '5', 'unlimited', 'unlimited'],
      ['art', 'all / vision', '', '5', '8', 'unlimited']
    ]);
    const indents = lines.map(([name]) => name.querySelector('span')?.style);
    expect(indents.map(style => style?.paddingInlineStart)).toEqual([
      '0em',
      '1em',
      '2em'
    ]);
  });

  it('names no project and no quota where one project has all GPUs', async () => {
    const projects = [makeProject({ quota: 16000 })];
    page.server.on('GET /quota', {
      body: makeQuota({ projects, admin: true })
    });
    page.show(<DashboardView renderMime={null} />);
    await screen.findByRole('table', { name: /Queued/ });
    await waitFor(() =>
      expect(screen.queryByRole('columnheader', { name: 'Project' })).toBeNull()
    );
    expect(screen.queryByRole('heading', { name: /Projects/ })).toBeNull();
    expect(screen.queryByText('Manage projects')).toBeNull();
  });

  it('says each bar in words', async () => {
    const project = {
      allocated: 5500,
      over: 1500,
      requested: 7500,
      limit: 8000
    };
    page.server.on('GET /quota', {
      body: makeQuota({ projects: [makeProject({ ...project, fair: 6000 })] })
    });
    await show();
    const bar = screen.getByRole('img', { name: /^team-a/ });
    expect(bar.getAttribute('aria-label')).toBe(
      'team-a: 4 of 4 GPUs in quota, 1.5 borrowed, 2 requested, fair share 6, limit 8'
    );
  });

  it('says why the fair share of an idle project is nothing', async () => {
    const idle = makeProject({
      allocated: 0,
      requested: 0,
      fair: 0,
      users: []
    });
    page.server.on('GET /quota', { body: makeQuota({ projects: [idle] }) });
    await show();
    const bar = screen.getByRole('img', { name: /^team-a/ });
    expect(bar.getAttribute('aria-label')).toContain(
      'fair share 0 (no demand)'
    );
    expect(bar.querySelector('.jp-mod-fair')?.getAttribute('title')).toContain(
      'capped by demand'
    );
  });

  it('breaks a project down into people, me first', async () => {
    await show();
    const people = screen.getByRole('list', { name: 'People in team-a' });
    expect([...people.children].map(item => item.textContent)).toEqual([
      'ana (you): 0.5 GPU',
      'li: 1 GPU'
    ]);
  });

  it('lists what runs and what waits, and not what has ended', async () => {
    await show();
    expect(rows(/Running/)).toEqual(['exp-2', 'exp-10']);
    expect(rows(/Queued/)).toEqual(['=waits']);
    const line = table(/Queued/).textContent;
    for (const part of ['#2', '1 hr', 'team-b is full.', 'Request less.']) {
      expect(line).toContain(part);
    }
  });

  it('sorts by a header, and says so', async () => {
    await show();
    const header = () =>
      within(table(/Running/)).getByRole('columnheader', { name: /User/ });
    expect(header().getAttribute('aria-sort')).toBeNull();
    fireEvent.click(within(header()).getByRole('button'));
    expect(header().getAttribute('aria-sort')).toBe('ascending');
    expect(rows(/Running/)).toEqual(['exp-10', 'exp-2']);
    fireEvent.click(within(header()).getByRole('button'));
    expect(header().getAttribute('aria-sort')).toBe('descending');
    expect(rows(/Running/)).toEqual(['exp-2', 'exp-10']);
  });

  it('keeps what matches the filter', async () => {
    await show();
    const filter = screen.getByLabelText('Filter: Running sessions');
    fireEvent.change(filter, { target: { value: 'LI' } });
    expect(rows(/Running/)).toEqual(['exp-2']);
    fireEvent.change(filter, { target: { value: 'nobody' } });
    expect(screen.getByText('No matches.')).toBeTruthy();
  });

  it('shows a thousand sessions a page at a time', async () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      makeSession({ id: `m${index}`, spec: { name: `m-${index}` } })
    );
    page.server.on('GET /sessions', { body: makePage(many) });
    await show();
    expect(rows(/Running/)).toHaveLength(50);
    expect(screen.getByText('1 to 50 of 1000')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Next' }));
    expect(rows(/Running/)[0]).toBe('m-50');
  });

  it('opens the details of a session', async () => {
    await show();
    fireEvent.click(screen.getByRole('button', { name: '=waits' }));
    expect(page.executed).toEqual([['gpuquota:show-details', 'w1']]);
  });

  it('saves a table, with names that a spreadsheet does not calculate', async () => {
    await show();
    fireEvent.click(
      screen.getByRole('button', { name: 'Download as CSV: Queued sessions' })
    );
    expect(names).toEqual(['gpu-sessions-waiting-simulated.csv']);
    const [head, line] = (await text(saved[0])).split('\r\n');
    expect(head).toContain('Queue position,Queued since,Reason');
    expect(line).toBe(
      `'=waits,team-b,ana,Training,0.5,2,${WAITING.since},team-b is full.`
    );
    for (const title of ['Projects', 'People in projects', 'Nodes']) {
      fireEvent.click(
        screen.getByRole('button', { name: `Download as CSV: ${title}` })
      );
    }
    expect(await text(saved[1])).toContain('team-a,1.5,0,0,4,1.5,,2,0');
    expect(await text(saved[2])).toContain('team-a,ana,0.5,0');
    expect(await text(saved[3])).toContain('dgx1-1,0,V100,(free),,,0.25,,yes');
  });

  it('names the session of a slice on hover and focus', async () => {
    await show();
    const slice = screen.getByRole('button', { name: /^exp-1: 0.5 GPU/ });
    const device = slice.closest('[role=group]') as HTMLElement;
    expect(device.textContent).toContain('0.25 free');
    const words = 'exp-1: 0.5 GPU, 16 GiB; team-a, ana';
    fireEvent.mouseEnter(slice);
    expect(within(device).getByText(words)).toBeTruthy();
    fireEvent.mouseLeave(slice);
    expect(within(device).queryByText(words)).toBeNull();
    focus(slice);
    expect(within(device).getByText(words)).toBeTruthy();
  });

  it('is one stop of Tab for each node: arrows go on', async () => {
    await show();
    const slices = screen.getAllByRole('button', { name: / GPU, / });
    expect(slices.map(slice => slice.tabIndex)).toEqual([0, -1]);
    focus(slices[0]);
    fireEvent.keyDown(slices[0], { key: 'ArrowRight' });
    expect(document.activeElement).toBe(slices[1]);
    await waitFor(() =>
      expect(slices.map(slice => slice.tabIndex)).toEqual([-1, 0])
    );
  });

  it('shows nothing free on a lost GPU', async () => {
    await show();
    const lost = screen.getByRole('group', { name: /^GPU 1 of dgx1-1: lost/ });
    expect(within(lost).getByText('lost')).toBeTruthy();
    expect(within(lost).queryByText('free')).toBeNull();
  });

  it('says what cannot be read, and shows the rest', async () => {
    page.server.on('GET /nodes', {
      status: 500,
      body: {
        code: 'Broken',
        message: 'NVML has failed.',
        hint: '',
        fields: []
      }
    });
    page.store.nodes.watch();
    page.show(<DashboardView renderMime={null} />);
    expect(await screen.findByText('NVML has failed.')).toBeTruthy();
    expect(await screen.findByRole('table', { name: /Running/ })).toBeTruthy();
  });
});
