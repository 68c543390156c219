import { expectAccessible, inThemes, setTheme } from './accessible';
import { Section } from './storage';
import { expect, test as base } from './workspace';

/** The panel's section on volumes, and the name of one that may be created. */
const test = base.extend<{ volumes: Section; name: string }>({
  volumes: async ({ page, workspace }, use) => {
    const volumes = new Section(page, workspace, 'Volumes');
    await volumes.open();
    await use(volumes);
  },
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the pattern, even an empty one
  name: async ({}, use) => {
    await use(`vol-${Math.random().toString(36).slice(2, 8)}`);
  }
});

test('@live a volume is created by keyboard, mounted, and kept while in use', async ({
  page,
  api,
  volumes,
  name
}) => {
  const { dialog } = volumes;
  await page.getByRole('button', { name: 'New volume' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText(/^Enter a name/)).toBeVisible();
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.type(name);
  await dialog.getByLabel('Size').fill('much');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Size')).toHaveAttribute(
    'aria-invalid',
    'true'
  );
  await dialog.getByLabel('Size').fill('1Gi');
  await page.keyboard.press('Enter');
  await expect(volumes.row(name)).toContainText('Not mounted');

  await api.create({ name: 'user', volumes: [`${name}:/data`] });
  await expect(volumes.row(name)).toContainText('Mounted by user');
  await volumes.row(name).focus();
  await page.keyboard.press('Delete');
  await volumes.press('Delete');
  await expect(dialog).toContainText(`${name} is mounted by user`);
  await volumes.press('Cancel');
  await api.stop('user');
  await expect(volumes.row(name)).toContainText('Not mounted');
  await volumes.act(name, 'Delete…');
  await volumes.press('Delete');
  await expect(volumes.row(name)).toHaveCount(0);
});

for (const [theme, title] of inThemes('volumes can be used by everyone')) {
  test(`${title} @live`, async ({ page, volumes, name }) => {
    await setTheme(page, theme);
    await page.sidebar.setWidth(260);
    await page.getByRole('button', { name: 'New volume' }).click();
    await volumes.dialog.getByLabel('Name').fill(name);
    await volumes.dialog.getByLabel('Size').fill('1Gi');
    await volumes.press('Create');
    await expect(volumes.row(name)).toContainText('of 1 GiB');
    await expectAccessible(page, ['.jp-GpuQuota-datasetsSection']);
    await volumes.row(name).focus();
    await page.keyboard.press('Enter');
    await expect(volumes.dialog).toContainText('nobody');
    await expectAccessible(page, ['.jp-Dialog']);
    await page.keyboard.press('Escape');
    await expect(volumes.row(name)).toBeFocused();
  });
}
