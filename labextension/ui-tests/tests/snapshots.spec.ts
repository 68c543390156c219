import { galata } from '@jupyterlab/galata';
import { expectAccessible, inThemes, setTheme } from './accessible';
import { Section, Storage } from './storage';
import { expect, test as base } from './workspace';

interface IFixtures {
  storage: Storage;
  /** The id of a session that runs in a folder of its own. */
  session: string;
  snapshots: Section;
}

const test = base.extend<IFixtures>({
  storage: async ({ request, api }, use) => {
    const contents = galata.newContentsHelper(request);
    await use(new Storage(request, api, contents));
  },
  session: async ({ storage }, use) => {
    await use(await storage.run('rate = 0.1\n'));
  },
  snapshots: async ({ page, session, workspace }, use) => {
    expect(session).not.toBe('');
    const snapshots = new Section(page, workspace, 'Snapshots');
    await snapshots.open();
    await use(snapshots);
  }
});

test('@live a snapshot is taken from the menu, shown, pinned and removed', async ({
  page,
  snapshots,
  storage,
  workspace
}) => {
  const { dialog } = snapshots;
  await expect(workspace.row(storage.name)).toContainText('Running');
  await workspace.act(storage.name, 'Take a Snapshot…');
  await expect(dialog.getByLabel('Note')).toBeFocused();
  await page.keyboard.type('first');
  await dialog.getByLabel('Tags').fill('base');
  await expect(dialog).toContainText(/\d+ files?, \d+ B/);
  await page.keyboard.press('Enter');
  const row = snapshots.row('first, base, .*, complete');
  await expect(row).toBeVisible({ timeout: 120_000 });

  await row.focus();
  await page.keyboard.press('Enter');
  const view = page.locator('.jp-GpuQuota-snapshot');
  await expect(view.getByRole('row', { name: /^Files stored/ })).toBeVisible();
  await expect(view).toContainText('jupyter gpu snapshot restore');

  await snapshots.act('first', 'Pin…');
  await dialog.getByLabel('Why').fill('demo');
  await snapshots.press('Pin');
  await expect(row).toContainText('pinned');
  await snapshots.act('first', 'Unpin');
  await expect(row).not.toContainText('pinned');
  await row.focus();
  await page.keyboard.press('Delete');
  await snapshots.press('Remove');
  await expect(row).toHaveCount(0);
});

for (const [theme, title] of inThemes('snapshots can be used by everyone')) {
  test(`${title} @live`, async ({
    page,
    session,
    snapshots,
    storage,
    workspace
  }) => {
    await setTheme(page, theme);
    await page.sidebar.setWidth(260);
    await storage.take(session, 'first', { tags: ['base'] });
    const row = snapshots.row('first, base, .*, complete');
    await expect(row).toBeVisible(); // until then, it cannot be opened
    await row.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /^Files stored/ }).waitFor();
    const team = workspace.panel.locator('.jp-GpuQuota-team');
    await team.getByText('Storage', { exact: true }).click();
    const shown = (name: RegExp) => team.getByRole('row', { name });
    await expect(shown(/^Snapshots 1 \d+ B \d+ B$/)).toBeVisible();
    await expect(shown(/^You 1 \d+ B \d+ B$/)).toBeVisible();
    await expectAccessible(page, [
      '.jp-GpuQuota-datasetsSection',
      '.jp-GpuQuota-snapshot',
      '.jp-GpuQuota-team'
    ]);
    await snapshots.act('first', 'Restore…');
    await expect(snapshots.dialog).toContainText('What will be made');
    await expectAccessible(page, ['.jp-Dialog']);
  });
}
