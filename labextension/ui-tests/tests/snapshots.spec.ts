import { galata } from '@jupyterlab/galata';
import { expectAccessible, Section, Storage } from './storage';
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
    const storage = new Storage(request, api, contents);
    await use(storage);
    await storage.clear();
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

test('@live two snapshots are compared, and one is restored', async ({
  page,
  session,
  snapshots,
  storage
}) => {
  await storage.take(session, 'before', { metrics: { loss: 2 } });
  await storage.write('train.py', 'rate = 0.01\n');
  await storage.take(session, 'after', { metrics: { loss: 1 } });
  await expect(snapshots.row('after, .*, complete')).toBeVisible();
  await snapshots.act('after', 'Compare with…');
  await snapshots.press('Ok');
  const view = page.locator('.jp-GpuQuota-snapshot');
  await expect(view.getByRole('heading', { level: 2 })).toHaveText(
    'before → after'
  );
  await expect(view.getByRole('row', { name: 'loss 2 1' })).toBeVisible();
  await expect(view.getByText('train.py')).toBeVisible();

  await snapshots.act('before', 'Restore…');
  await page.getByLabel('Into a new folder, without a session').check();
  await expect(snapshots.dialog).toContainText(`${storage.name}-r1`);
  await expect(snapshots.dialog).toContainText(
    `stop ${storage.name}, then keep or move its folder`
  );
  await snapshots.press('Restore');
  await expect
    .poll(() => storage.has(`${storage.name}-r1/train.py`))
    .toBe(true);
});

test('@live rules say what they would remove before they are saved', async ({
  page,
  session,
  snapshots,
  storage
}) => {
  await storage.take(session, 'old');
  await storage.take(session, 'new');
  await page.getByRole('button', { name: 'Rules…' }).click();
  const { dialog } = snapshots;
  await dialog.getByLabel('Keep the last').fill('1');
  await expect(dialog).toContainText('These rules remove 1 snapshot now.');
  await snapshots.press('Cancel');
  await expect(snapshots.row('old')).toBeVisible();
});

test('@live snapshots can be used by everyone', async ({
  page,
  session,
  snapshots,
  storage
}) => {
  await page.sidebar.setWidth(260);
  await storage.take(session, 'first', { tags: ['base'] });
  const row = snapshots.row('first, base, .*, complete');
  await expect(row).toBeVisible(); // until then, it cannot be opened
  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^Files stored/ }).waitFor();
  await expectAccessible(
    page,
    '.jp-GpuQuota-datasetsSection',
    '.jp-GpuQuota-snapshot'
  );
  await snapshots.act('first', 'Restore…');
  await expect(snapshots.dialog).toContainText('What will be made');
  await expectAccessible(page, '.jp-Dialog');
});

test("@live the Team section shows what a project's snapshots take", async ({
  page,
  session,
  storage,
  workspace
}) => {
  await workspace.open();
  await page.sidebar.setWidth(260);
  await storage.take(session, 'first');
  const team = workspace.panel.locator('.jp-GpuQuota-team');
  await team.getByText('Storage', { exact: true }).click();
  const row = (name: RegExp) => team.getByRole('row', { name });
  await expect(row(/^Snapshots 1 \d+ B \d+ B$/)).toBeVisible();
  await expect(row(/^You 1 \d+ B \d+ B$/)).toBeVisible();
  await expectAccessible(page, '.jp-GpuQuota-team');
});
