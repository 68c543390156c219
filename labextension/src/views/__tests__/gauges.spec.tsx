import { act, screen, within } from '@testing-library/react';
import React from 'react';
import { GpuUse } from '../../api/models';
import {
  makeGpu,
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { GpuSection } from '../gpus/sessionuse';
import { SessionsView } from '../panel/sessions';
import { TeamView } from '../panel/team';
import { StatusItem } from '../panel/statuswidget';

const ALONE = makeQuota({
  projects: [makeProject({ name: 'root', quota: 2000 })],
  capacity: 2000,
  simulated: false
});
const BUSY = makeGpu({
  utilisation: 87,
  memory_used: 31_744,
  temperature: 64,
  mine: true,
  sessions: ['s1'],
  programs: [
    { session: 's1', name: 'python', owner: 'ana', pid: 7, memory: 28_672 },
    { session: '', name: '', owner: 'bob', pid: null, memory: 3072 },
    { session: '', name: '', owner: 'team-b', pid: null, memory: null }
  ]
});
const FREE = makeGpu({ name: '1', utilisation: 0, memory_used: 0 });

describe('what is measured of GPUs', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /quota', { body: ALONE });
    page.server.on('GET /sessions', {
      body: makePage([makeSession({ id: 's1', spec: { name: 'exp-1' } })])
    });
    measure(BUSY, FREE);
    page.server.on('GET /utilisation', {
      body: {
        items: [{ session: 's1', percents: [10, 90, 80] }],
        interval: 60,
        revision: '1'
      }
    });
  });

  afterEach(() => page.dispose());

  const measure = (...items: GpuUse[]) =>
    page.server.on('GET /gpus', {
      body: { items, total: items.length, revision: '1' }
    });

  const show = (view: JSX.Element) => {
    page.store.resource('gpus').watch();
    page.store.resource('utilisation').watch();
    page.show(view);
  };

  it('is shown as meters with their values in words', async () => {
    show(<TeamView state={null} />);
    const busy = await screen.findByRole('meter', {
      name: 'GPU 0: utilisation'
    });
    expect(busy.getAttribute('aria-valuenow')).toBe('87');
    expect(busy.getAttribute('aria-valuetext')).toBe('87 %');
    const full = screen.getByRole('meter', { name: 'GPU 0: memory' });
    expect(full.getAttribute('aria-valuemax')).toBe('40960');
    expect(full.getAttribute('aria-valuetext')).toBe('31 of 40 GiB');
    expect(screen.getByText('64 °C')).toBeTruthy();
    expect(screen.getByText('exp-1: 28 GiB')).toBeTruthy();
    expect(screen.getByText('bob, outside sessions: 3 GiB')).toBeTruthy();
    expect(screen.getByText('team-b, outside sessions')).toBeTruthy();
    expect(
      screen.getByRole('meter', { name: 'GPU 1: utilisation' })
    ).toBeTruthy();
  });

  it('is of the own GPUs where projects share them', async () => {
    page.server.on('GET /quota', { body: makeQuota({ simulated: false }) });
    show(<TeamView state={null} />);
    await screen.findByRole('meter', { name: 'GPU 0: memory' });
    expect(screen.queryByRole('meter', { name: /GPU 1/ })).toBeNull();
  });

  it('is nothing of simulated GPUs, which is said once', async () => {
    page.server.on('GET /quota', { body: { ...ALONE, simulated: true } });
    measure();
    show(<TeamView state={null} />);
    const said = await screen.findAllByText('These GPUs have no readings.');
    expect(said).toHaveLength(1);
    expect(screen.queryByRole('list', { name: 'GPU readings' })).toBeNull();
  });

  it('leaves out what a driver does not report', async () => {
    measure(makeGpu({ utilisation: null, memory_used: 0, temperature: null }));
    show(<TeamView state={null} />);
    await screen.findByRole('meter', { name: 'GPU 0: memory' });
    expect(screen.queryByRole('meter', { name: /utilisation/ })).toBeNull();
    expect(document.body.textContent).not.toMatch(/null|NaN|°C/);
  });

  it('is in the status bar, of the own GPUs', async () => {
    show(<StatusItem />);
    const item = await screen.findByRole('button', { name: /87 %/ });
    expect(item.getAttribute('aria-label')).toBe(
      'My GPUs: ½ GPU in use, 87 %, 31 of 40 GiB, 64 °C. Show the GPU workspace'
    );
  });

  it('has a small history in the row of a session', async () => {
    show(<SessionsView />);
    const row = await screen.findByRole('row', { name: /exp-1/ });
    const words =
      'GPU utilisation: now 80 %, mean 60 %, peak 90 % in the last 3 min';
    const line = await within(row).findByRole('img', { name: words });
    expect(line.querySelector('polyline')?.getAttribute('points')).toBe(
      '37,90 38,10 39,20'
    );
    expect(row.getAttribute('aria-label')).toContain(words);
    expect(within(row).getByText('80 %')).toBeTruthy();
  });

  it('is in the details of a session, with its GPUs', async () => {
    show(<GpuSection session={makeSession({ id: 's1' })} />);
    await screen.findByRole('heading', { name: 'GPU use' });
    expect(
      await screen.findByRole('meter', { name: 'GPU 0: memory' })
    ).toBeTruthy();
    expect(screen.queryByRole('meter', { name: /GPU 1/ })).toBeNull();
  });

  it('is not in the details of a session of which nothing is measured', async () => {
    show(<GpuSection session={makeSession({ id: 's2' })} />);
    await act(async () => {
      await page.store.resource('gpus').refresh();
    });
    expect(screen.queryByRole('heading')).toBeNull();
  });
});
