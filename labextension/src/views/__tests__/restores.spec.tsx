import { screen, within } from '@testing-library/react';
import React from 'react';
import { makeAbout } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
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

  it('says what goes on and why others have failed, not what is done', async () => {
    const items: Partial<Restoration>[] = [
      { id: 'r1', name: 'exp-1-r1', state: 'launching' },
      {
        id: 'r2',
        name: 'exp-1-r2',
        state: 'failed',
        problem: {
          code: 'StorageFailed',
          message: 'The disk is full.',
          hint: 'Make room.',
          fields: []
        }
      },
      { id: 'r3', name: 'exp-1-r3', state: 'done' }
    ];
    page.server.on('GET /restores', { body: { items } });
    const restores = show();
    const list = await screen.findByRole('list', { name: 'Restores' });
    expect(
      within(list)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent)
    ).toEqual([
      'Launching exp-1-r1',
      'Could not restore exp-1-r2The disk is full. Make room.'
    ]);
    restores.dispose();
  });
});
