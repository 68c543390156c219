import { screen, waitFor, within } from '@testing-library/react';
import React from 'react';
import { makeAbout } from '../../__tests__/builders';
import { findDialog, Page, press } from '../../__tests__/page';
import { makeSnapshots } from '../../__tests__/storage';
import { Restoration } from '../../api/models';
import { allRestores } from '../../state/snapshots/list';
import { SnapshotsView } from '../snapshots/section';

let page: Page;

beforeEach(() => {
  page = new Page();
  page.server.on('GET /about', {
    body: makeAbout({ capabilities: ['snapshots'] })
  });
  page.server.on('GET /jobs', { body: { items: [] } });
  page.server.on('GET /snapshots', { body: makeSnapshots([]) });
});

afterEach(() => {
  document.querySelectorAll('.jp-Dialog').forEach(node => node.remove());
  page.dispose();
});

describe('restores in the section on snapshots', () => {
  const show = () => {
    const restores = allRestores(page.store);
    restores.watch();
    page.store.resource('snapshots').watch();
    page.store.resource('jobs').watch();
    page.show(<SnapshotsView restores={restores} />);
    return restores;
  };

  it('offers to put a replaced folder back', async () => {
    const restore: Partial<Restoration> = {
      id: 'r1',
      name: 'exp-1',
      state: 'replaced',
      folder: '/home/ana',
      kept: '/home/ana.before-r1'
    };
    page.server.on('GET /restores', { body: { items: [restore] } });
    page.server.on('POST /restores/r1/undo', { body: restore });
    const restores = show();
    expect(await screen.findByText(/before-r1/)).toBeTruthy();
    screen.getByRole('button', { name: 'Put it back' }).click();
    await waitFor(() =>
      expect(page.server.count('POST /restores/r1/undo')).toBe(1)
    );
    restores.dispose();
  });

  it('offers to replace the original by what was restored', async () => {
    const restore: Partial<Restoration> = {
      id: 'r1',
      name: 'exp-1-r1',
      state: 'done',
      folder: '/home/exp-1-r1',
      origin: '/home/ana'
    };
    page.server.on('GET /restores', { body: { items: [restore] } });
    page.server.on('POST /restores/r1/replace', { body: restore });
    const restores = show();
    const button = await screen.findByText('Replace the original…');
    button.click();
    const dialog = await findDialog();
    await within(dialog).findByText(
      '/home/exp-1-r1 takes the place of /home/ana.'
    );
    expect(page.server.count('POST /restores/r1/replace')).toBe(0);
    press(dialog, 'Replace');
    await waitFor(() =>
      expect(page.server.count('POST /restores/r1/replace')).toBe(1)
    );
    restores.dispose();
  });

  it('offers to replace the volumes of a session on a cluster', async () => {
    const restore: Partial<Restoration> = {
      id: 'r1',
      name: 'exp-1-r1',
      state: 'done',
      folder: '',
      place: 'exp-1',
      replaces: 's1'
    };
    page.server.on('GET /restores', { body: { items: [restore] } });
    page.server.on('POST /restores/r1/replace', { body: restore });
    const restores = show();
    (await screen.findByText('Replace the original…')).click();
    const dialog = await findDialog();
    await within(dialog).findByText(
      'exp-1 mounts the restored volumes instead of its own.'
    );
    press(dialog, 'Replace');
    await waitFor(() =>
      expect(page.server.count('POST /restores/r1/replace')).toBe(1)
    );
    restores.dispose();
  });

  it('says which volumes are kept after a replacement', async () => {
    const restore: Partial<Restoration> = {
      id: 'r1',
      state: 'replaced',
      folder: '',
      place: 'exp-1',
      replaces: 's1',
      kept: 'work'
    };
    page.server.on('GET /restores', { body: { items: [restore] } });
    const restores = show();
    expect(
      await screen.findByText('Replaced the volumes of exp-1')
    ).toBeTruthy();
    expect(screen.getByText('Its own volumes are kept: work.')).toBeTruthy();
    restores.dispose();
  });
});
