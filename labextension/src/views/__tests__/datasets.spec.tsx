import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import React from 'react';
import {
  idOf,
  makeCached,
  makeCaches,
  makeDataset,
  makeJob,
  makeVersion
} from '../../__tests__/datasets';
import { focus, Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { VersionLists } from '../../state/datasets/versions';
import { DatasetsView } from '../datasets/section';

const VERSION = `/datasets/faces/versions/${idOf('a1')}`;

describe('the section on datasets', () => {
  let page: Page;
  let versions: VersionLists;

  beforeEach(() => {
    page = new Page();
    versions = new VersionLists(page.store);
    jest
      .spyOn(HTMLElement.prototype, 'clientHeight', 'get')
      .mockReturnValue(600);
    page.server.on('GET /datasets', {
      body: { items: [makeDataset()], problems: [] }
    });
    page.server.on('GET /caches', { body: makeCaches() });
    page.server.on('GET /jobs', { body: { items: [] } });
    answer([makeVersion({ tags: ['v1'] })]);
  });

  afterEach(() => {
    jest.restoreAllMocks();
    document.querySelectorAll('.lm-Menu').forEach(node => node.remove());
    versions.dispose();
    page.dispose();
  });

  const answer = (items: ReturnType<typeof makeVersion>[]) =>
    page.server.on('GET /datasets/faces/versions', {
      body: { items, total: items.length, revision: '1', next: '' }
    });
  const show = () => {
    for (const noun of ['datasets', 'caches', 'jobs'] as const) {
      page.store.resource(noun).watch();
    }
    page.show(<DatasetsView versions={versions} />);
  };
  const open = async () => {
    show();
    const row = await screen.findByRole('row', { name: /^faces/ });
    focus(row);
    fireEvent.keyDown(row, { key: 'ArrowRight' });
    return screen.findByRole('row', { name: /^faces, a10000000000/ });
  };
  const menuOf = (row: HTMLElement) => {
    fireEvent.contextMenu(row);
    return [
      ...document.querySelectorAll('.lm-Menu-item[data-type="command"]')
    ].map(item => item.querySelector('.lm-Menu-itemLabel')?.textContent);
  };
  const choose = (row: HTMLElement, action: string) => {
    const steps = menuOf(row).indexOf(action) + 1;
    const press = (keyCode: number) =>
      fireEvent.keyDown(screen.getByRole('menu'), { keyCode });
    Array.from({ length: steps }, () => press(40));
    press(13);
  };

  it('opens a dataset by keyboard, and shows its versions', async () => {
    const row = await open();
    expect(row.getAttribute('aria-level')).toBe('2');
    expect(row.textContent).toContain('v1');
    expect(row.textContent).toContain('not here');
    expect(row.textContent).toContain('1.1 GiB · 300 files · ');
    const head = screen.getByRole('row', { name: /^faces, team-a/ });
    expect(head.getAttribute('aria-expanded')).toBe('true');
    focus(row);
    fireEvent.keyDown(row, { key: 'Enter' });
    expect(page.executed[0][0]).toBe(CommandIDs.browseDataset);
  });

  it('shows how far a version is fetched, and cancels it', async () => {
    page.server.on('GET /jobs', { body: { items: [makeJob()] } });
    page.server.on('DELETE /jobs/j1', {
      body: makeJob({ state: 'cancelled' })
    });
    const row = await open();
    expect(row.textContent).toContain('fetching 43%');
    const jobs = screen.getByRole('list', { name: 'Jobs' });
    expect(jobs.textContent).toContain('43% · 11 MiB/s · 5 min left');
    within(row)
      .getByRole('button', { name: /^Cancel fetching/ })
      .click();
    await waitFor(() => expect(page.server.count('DELETE /jobs/j1')).toBe(1));
  });

  it('caches a version', async () => {
    page.server.on(`PUT ${VERSION}/copy`, {
      body: { copy: null, job: makeJob() }
    });
    choose(await open(), 'Cache');
    await waitFor(() =>
      expect(page.server.count(`PUT ${VERSION}/copy`)).toBe(1)
    );
  });

  it('fetches from a lake of its own where the credentials are', async () => {
    page.server.on('GET /datasets', {
      body: { items: [makeDataset({ own_lake: true })], problems: [] }
    });
    page.server.on('POST /jobs', { body: { id: 'j1' }, status: 202 });
    choose(await open(), 'Cache');
    await waitFor(() => expect(page.server.count('POST /jobs')).toBe(1));
    const [asked] = page.server.asked.filter(({ method }) => method === 'POST');
    expect(asked.body).toEqual({
      kind: 'cache',
      dataset: 'faces',
      version: idOf('a1')
    });
    expect(page.server.count(`PUT ${VERSION}/copy`)).toBe(0);
  });

  it('says who uses and who keeps a copy', async () => {
    const lease = { session: 's1', name: 'exp-1', since: '', project: '' };
    const pin = { user: 'li', why: 'demo', until: null };
    const cached = makeCached({ leases: [lease], pins: [pin] });
    page.server.on('GET /caches', { body: makeCaches([cached]) });
    const row = await open();
    expect(row.textContent).toContain('cached');
    expect(row.title).toContain('Used by exp-1');
    expect(row.title).toContain('Pinned by li: demo');
  });

  it('shows only what the user may do', async () => {
    page.server.on('GET /datasets', {
      body: { items: [makeDataset({ actions: ['see'] })], problems: [] }
    });
    expect(menuOf(await open())).toEqual([
      'Browse Files',
      'Launch a Session with It…',
      'Copy Python Snippet',
      'Copy Shell Command',
      'Show Lineage'
    ]);
  });

  it('says in words how full the cache is', async () => {
    show();
    const meter = await screen.findByRole('meter', { name: 'Cache' });
    expect(meter.getAttribute('aria-valuetext')).toBe(
      '3.7 GiB of 9.3 GiB used · 954 MiB of it evictable · 954 MiB being fetched · 5.6 GiB free'
    );
  });

  it('shows why a job has failed until that is dismissed', async () => {
    const problem = {
      code: 'Conflict',
      message: 'The cache is full.',
      hint: 'Clear a version.',
      fields: []
    };
    const job = makeJob({ state: 'failed', problem });
    page.server.on('GET /jobs', { body: { items: [job] } });
    show();
    expect(await screen.findByText('The cache is full.')).toBeTruthy();
    screen.getByRole('button', { name: /^Dismiss/ }).click();
    await waitFor(() =>
      expect(screen.queryByText('The cache is full.')).toBeNull()
    );
  });

  it('says how to begin where there is none', async () => {
    page.server.on('GET /datasets', { body: { items: [], problems: [] } });
    show();
    expect(
      await screen.findByText(/jupyter gpu data sync NAME FOLDER/)
    ).toBeTruthy();
  });

  it('says once that a controller has no datasets', async () => {
    const problem = { code: 'Unsupported', hint: '', fields: [] };
    const message = 'The old backend has no datasets.';
    for (const path of ['datasets', 'caches', 'jobs']) {
      page.server.on(`GET /${path}`, {
        status: 501,
        body: { ...problem, message }
      });
    }
    show();
    expect(await screen.findAllByText(/has no datasets/)).toHaveLength(1);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
