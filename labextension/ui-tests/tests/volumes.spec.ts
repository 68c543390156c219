import { galata } from '@jupyterlab/galata';
import { expectAccessible, Section, Storage } from './storage';
import { expect, test as base } from './workspace';

/** The panel's section on volumes, and the name of one that may be created. */
const test = base.extend<{ volumes: Section; name: string }>({
  volumes: async ({ page, workspace }, use) => {
    const volumes = new Section(page, workspace, 'Volumes');
    await volumes.open();
    await use(volumes);
  },
  name: async ({ request, api }, use) => {
    const storage = new Storage(
      request,
      api,
      galata.newContentsHelper(request),
      `vol-${Math.random().toString(36).slice(2, 8)}`
    );
    await use(storage.name);
    await storage.removeVolume(storage.name);
  }
});

async function create(volumes: Section, name: string): Promise<void> {
  await volumes.page.getByRole('button', { name: 'New volume' }).click();
  await volumes.dialog.getByLabel('Name').fill(name);
  await volumes.dialog.getByLabel('Size').fill('1Gi');
  await volumes.press('Create');
  await expect(volumes.row(name)).toContainText('of 1 GiB');
}

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

test('@live a launch mounts several volumes, and says which ones conflict', async ({
  page,
  volumes,
  workspace,
  name
}) => {
  await create(volumes, name);
  await volumes.act(name, 'Launch a Session with It…');
  const { form } = workspace;
  await expect(form.getByLabel('Path of volume 1')).toHaveValue(`/${name}`);
  await form.getByRole('button', { name: 'Mount a volume' }).click();
  const second = form.getByRole('combobox', { name: 'Volume 2' });
  await expect(second).toBeFocused();
  await second.selectOption('new:folder');
  await form.getByLabel('Path of volume 2').fill(`/${name}`);
  await expect(form.locator('.jp-GpuQuota-problems')).toContainText(
    'listed twice'
  );
  await expect(second).toHaveAttribute('aria-invalid', 'true');
  await form.getByLabel('Path of volume 2').fill('/out');
  await expect(workspace.verdict).toContainText('Starts now');
  await page.keyboard.press('Escape');
});

test('@live volumes can be used by everyone', async ({
  page,
  volumes,
  name
}) => {
  await page.sidebar.setWidth(260);
  await create(volumes, name);
  await expectAccessible(page, '.jp-GpuQuota-datasetsSection');
  await volumes.row(name).focus();
  await page.keyboard.press('Enter');
  await expect(volumes.dialog).toContainText('nobody');
  await expectAccessible(page, '.jp-Dialog');
  await page.keyboard.press('Escape');
  await expect(volumes.row(name)).toBeFocused();
});
