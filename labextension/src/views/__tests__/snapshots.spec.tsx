import { fireEvent, screen, within } from '@testing-library/react';
import React from 'react';
import { makeAbout, makePage, makeSession } from '../../__tests__/builders';
import { idOf } from '../../__tests__/datasets';
import { findDialog, focus, Page, press } from '../../__tests__/page';
import { makeSnapshot, makeSnapshots } from '../../__tests__/storage';
import { Snapshot } from '../../api/models';
import { CommandIDs } from '../../commands';
import { allRestores, ofSnapshot } from '../../state/snapshots/list';
import { CompareSnapshots } from '../snapshots/compare';
import { SnapshotTable } from '../snapshots/list';
import { restoreSnapshot } from '../snapshots/restore';
import { changeRules } from '../snapshots/rules';
import { SnapshotsView } from '../snapshots/section';
import { takeSnapshot } from '../snapshots/take';

let page: Page;

beforeEach(() => {
  page = new Page();
  jest.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  page.server.on('GET /about', {
    body: makeAbout({ capabilities: ['snapshots'] })
  });
  page.server.on('GET /jobs', { body: { items: [] } });
  page.server.on('GET /restores', { body: { items: [] } });
  answer([makeSnapshot({ tags: ['best'] })]);
});

afterEach(() => {
  jest.restoreAllMocks();
  document
    .querySelectorAll('.lm-Menu, .jp-Dialog')
    .forEach(node => node.remove());
  page.dispose();
});

const answer = (items: Snapshot[]) =>
  page.server.on('GET /snapshots', { body: makeSnapshots(items) });

describe('the section on snapshots', () => {
  const show = () => {
    const restores = allRestores(page.store);
    restores.watch();
    page.store.resource('snapshots').watch();
    page.store.resource('jobs').watch();
    page.show(<SnapshotsView restores={restores} />);
    return restores;
  };

  it('shows note, tag, session and size, and opens one by keyboard', async () => {
    const restores = show();
    const row = await screen.findByRole('row', {
      name: /^before the sweep, best, exp-1, team-a, complete, 1.1 GiB/
    });
    focus(row);
    fireEvent.keyDown(row, { key: 'Enter' });
    expect(page.executed[0][0]).toBe(CommandIDs.showSnapshot);
    restores.dispose();
  });

  it('says how many parts are incomplete', async () => {
    answer([makeSnapshot({ state: 'partial', problems: 2 })]);
    const restores = show();
    expect(await screen.findByText(/^2 parts incomplete/)).toBeTruthy();
    restores.dispose();
  });

  it('offers an admin to remove what others have stored, and nothing else', async () => {
    answer([makeSnapshot({ owner: 'li', note: '', actions: ['remove'] })]);
    const restores = show();
    fireEvent.contextMenu(await screen.findByRole('row'));
    const labels = [...document.querySelectorAll('.lm-Menu-itemLabel')].map(
      node => node.textContent
    );
    expect(labels).toEqual(['Remove…']);
    restores.dispose();
  });
});

it('two snapshots are picked in the table and compared in order', async () => {
  const old = makeSnapshot({ created: '2025-01-01T00:00:00Z', note: 'old' });
  const late = makeSnapshot({ id: idOf('5b'), note: 'late' });
  const list = ofSnapshot(page.store, 'test', async () =>
    makeSnapshots([late, old])
  );
  list.watch();
  const execute = jest.spyOn(page.commands, 'execute');
  page.show(<SnapshotTable resource={list} />);
  const compare = await screen.findByRole('button', { name: 'Compare' });
  expect(compare).toHaveProperty('disabled', true);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Compare late' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Compare old' }));
  fireEvent.click(compare);
  expect(execute).toHaveBeenCalledWith(CommandIDs.compareSnapshots, {
    snapshot: old.id,
    other: late.id
  });
  list.dispose();
});

it('a comparison shows both sides of each fact', async () => {
  const fact = (name: string, before: string, after: string) => [
    { name, before, after }
  ];
  const comparison = ofSnapshot(page.store, 'test', async () => ({
    before: idOf('5a'),
    after: idOf('5b'),
    code: [],
    packages: fact('torch', '2.4.0', '2.5.0'),
    environment: [],
    data: [],
    volumes: [],
    metrics: fact('accuracy', '0.9', ''),
    notebooks: [],
    files: [
      {
        path: 'a.txt',
        raw: false,
        change: 'changed' as const,
        before: 1000,
        after: 2000,
        sha256_before: '',
        sha256_after: ''
      }
    ],
    all_files: 1,
    problems: []
  }));
  comparison.watch();
  page.show(<CompareSnapshots resource={comparison} />);
  const row = await screen.findByRole('row', { name: /^torch/ });
  expect(row.textContent).toBe('torch2.4.02.5.0');
  expect(screen.getByRole('row', { name: /^accuracy/ }).textContent).toBe(
    'accuracy0.9–'
  );
  expect(screen.getByText('1,000 B → 2 KiB')).toBeTruthy();
  comparison.dispose();
});

describe('dialogs', () => {
  it('take a snapshot with a note, and stay where it is refused', async () => {
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    const tags = { field: 'tags', message: 'It is too long.', hint: '' };
    page.server.on('POST /sessions/s1/snapshots', {
      status: 422,
      body: { code: 'Invalid', message: 'No.', hint: '', fields: [tags] }
    });
    const session = makeSession();
    const mount = { host_path: '', storage_class: '', size: 0 };
    const volumes = [
      { ...mount, volume: 'out', path: '/out', read_only: false },
      { ...mount, volume: 'scans', path: '/scans', read_only: true }
    ];
    const spec = { ...session.spec, volumes };
    const why = 'Environments are not stored: they can be made again.';
    page.server.on('POST /sessions/s1/snapshots/preview', {
      body: {
        files: 3,
        size: 2048,
        complete: false,
        left_out: [{ path: '.venv', why }],
        all_left_out: 4
      }
    });
    const taking = takeSnapshot(page.ui, { ...session, spec });
    const dialog = await findDialog();
    await within(dialog).findByText('More than 3 files, 2 KiB');
    within(dialog).getByText('4 paths are left out');
    expect(dialog.textContent).toContain(`.venv: ${why}`);
    const named = await within(dialog).findByLabelText('Volumes');
    expect(named.getAttribute('placeholder')).toBe('out');
    fireEvent.change(await within(dialog).findByLabelText('Note'), {
      target: { value: 'why' }
    });
    press(dialog, 'Take');
    expect(await within(dialog).findByText('It is too long.')).toBeTruthy();
    page.server.on('POST /sessions/s1/snapshots', {
      status: 202,
      body: makeSnapshot()
    });
    press(dialog, 'Take');
    await taking;
    const asked = page.server.asked.filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/snapshots')
    );
    expect(asked[1].body).toMatchObject({ note: 'why', tags: [] });
    expect(document.querySelector('.jp-Dialog')).toBeNull();
  });

  it('say which snapshots rules would remove before they are set', async () => {
    const rules = {
      keep_last: 0,
      daily: 0,
      weekly: 0,
      every: 0,
      on_suspend: false,
      on_finish: false
    };
    page.server.on('GET /snapshot-settings', { body: { rules, removed: [] } });
    page.server.on('PUT /snapshot-settings', ({ body }) => {
      const { keep_last } = body as { keep_last: number };
      return { body: { rules, removed: keep_last ? ['5a'] : [] } };
    });
    const changing = changeRules(page.ui);
    const dialog = await findDialog();
    await within(dialog).findByText('These rules remove no snapshot now.');
    const keep = within(dialog).getByLabelText('Keep the last');
    fireEvent.change(keep, { target: { value: 'few' } });
    press(dialog, 'Save');
    await within(dialog).findByText('Use a whole number, or none.');
    fireEvent.change(keep, { target: { value: '5' } });
    await within(dialog).findByText('These rules remove 1 snapshot now.');
    const puts = () =>
      page.server.asked
        .filter(({ method }) => method === 'PUT')
        .map(({ body }) => body as { keep_last: number; dry_run: boolean });
    expect(puts().every(({ dry_run }) => dry_run)).toBe(true);
    press(dialog, 'Save');
    await changing;
    expect(puts().pop()).toMatchObject({ keep_last: 5, dry_run: false });
  });

  it('show the plan of a restore first', async () => {
    const snapshot = makeSnapshot();
    const command = `jupyter gpu snapshot restore 5a --make-environment /e`;
    const gone = {
      field: 'environment',
      message: 'There is no such environment.',
      hint: ''
    };
    page.server.on(`POST /snapshots/${snapshot.id}/plan`, ({ body }) => ({
      body: {
        snapshot: snapshot.id,
        folder: '/home/ana/exp-2',
        size: 1_200_000_000,
        free: 5_000_000_000,
        spec: makeSession({ spec: { name: 'exp-2' } }).spec,
        original: { name: 'exp-1', folder: '/home/ana/exp-1' },
        claims: [],
        problems: (body as { environment: string }).environment ? [gone] : [],
        warnings: ['The image has no digest.'],
        commands: [command]
      }
    }));
    const restoring = restoreSnapshot(page.ui, snapshot);
    const dialog = await findDialog();
    expect(await within(dialog).findByText('/home/ana/exp-2')).toBeTruthy();
    expect(within(dialog).getByText('1.1 GiB (4.7 GiB free)')).toBeTruthy();
    expect(within(dialog).getByText('The image has no digest.')).toBeTruthy();
    expect(
      within(dialog).getByText(
        'To go on with it instead of exp-1, stop exp-1, then keep or move its folder.'
      )
    ).toBeTruthy();
    within(dialog).getByText(command);
    fireEvent.change(within(dialog).getByLabelText('Environment'), {
      target: { value: '/envs/other' }
    });
    await within(dialog).findByText('There is no such environment.');
    press(dialog, 'Cancel');
    await restoring;
    expect(page.server.count(`POST /snapshots/${snapshot.id}/restores`)).toBe(
      0
    );
  });
});
