import { screen } from '@testing-library/react';
import React from 'react';
import { makeAbout } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import {
  makeManifest,
  makeSnapshot,
  makeSnapshots
} from '../../__tests__/storage';
import { ofSnapshot } from '../../state/snapshots/list';
import { SnapshotView } from '../snapshots/details';

let page: Page;

beforeEach(() => {
  page = new Page();
  page.server.on('GET /about', {
    body: makeAbout({ capabilities: ['snapshots'] })
  });
  page.server.on('GET /snapshots', { body: makeSnapshots([makeSnapshot()]) });
});

afterEach(() => page.dispose());

describe('the view of a snapshot', () => {
  it('says which part is missing and why', async () => {
    const manifest = makeManifest({
      problems: [{ part: 'kernel', message: 'The kernel is busy.' }]
    });
    const details = ofSnapshot(page.store, 'test', async () => ({
      snapshot: makeSnapshot(),
      manifest,
      reproduce: ['jupyter gpu snapshot restore 5a']
    }));
    details.watch();
    page.show(<SnapshotView resource={details} />);
    const row = await screen.findByRole('row', { name: /^Kernel variables/ });
    expect(row.textContent).toContain('missing');
    expect(row.textContent).toContain('The kernel is busy.');
    const code = screen.getByRole('row', { name: /^Code/ });
    expect(code.textContent).toContain('c0ffee000000 main with changes');
    expect(screen.getByText('jupyter gpu snapshot restore 5a')).toBeTruthy();
    const files = screen.getByRole('row', { name: /^Files/ });
    expect(files.textContent).toContain('read one by one');
    expect(screen.getByText('lake · copied')).toBeTruthy();
    details.dispose();
  });

  it('says what has frozen the folder', async () => {
    const tree = { ...makeManifest().tree!, provider: 'btrfs' };
    const details = ofSnapshot(page.store, 'test', async () => ({
      snapshot: makeSnapshot({
        mechanism: 'instant',
        providers: ['lake', 'btrfs']
      }),
      manifest: makeManifest({ tree: { ...tree, mechanism: 'instant' } }),
      reproduce: []
    }));
    details.watch();
    page.show(<SnapshotView resource={details} />);
    const files = await screen.findByRole('row', { name: /^Files/ });
    expect(files.textContent).toContain('frozen by btrfs');
    expect(screen.getByText('lake, btrfs · made at once')).toBeTruthy();
    details.dispose();
  });
});
