import { expect, test } from './workspace';

test.beforeEach(async ({ workspace }) => {
  await workspace.open();
});

test('a session is launched, opened and stopped by keyboard alone', async ({
  page,
  workspace
}) => {
  const { keyboard } = page;
  await workspace.panel.getByRole('button', { name: 'Launch' }).first().focus();
  await keyboard.press('Enter');
  const { form, verdict } = workspace;
  await expect(form.getByLabel('Name')).toBeFocused();
  await keyboard.press('ControlOrMeta+A');
  await keyboard.type('by-keys');
  await keyboard.press('Tab');
  await expect(form.getByLabel('Project')).toBeFocused();
  await keyboard.press('Tab');
  await expect(form.getByRole('radio', { name: '½' })).toBeFocused();
  await keyboard.press('ArrowLeft');
  await expect(form.getByRole('radio', { name: '¼' })).toBeChecked();
  await expect(verdict).toContainText('Uses 0.25 GPU of your quota');
  await form.getByLabel('Folder').focus();
  await keyboard.press('Enter');

  const row = workspace.row('by-keys');
  await expect(row).toBeFocused();
  await expect(row).toContainText('Running', { timeout: 90_000 });
  const tab = page.context().waitForEvent('page');
  await keyboard.press('Enter');
  await (await tab).close();
  await row.focus();
  await keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.getByRole('menuitem', { name: 'Stop…' }).hover();
  await keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await keyboard.press('Enter');
  await expect(row).toContainText('Stopped', { timeout: 60_000 });
  await expect(row).toBeFocused();
});

test('the form begins in the folder of the file browser, and another one is chosen @live', async ({
  page,
  workspace,
  tmpPath
}) => {
  await page.contents.createDirectory(`${tmpPath}/inner`);
  await workspace.openForm();
  const folder = workspace.form.getByLabel('Folder');
  await expect(folder).toHaveValue(tmpPath);
  await workspace.form.getByRole('button', { name: 'Browse…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('listitem', { name: /inner/ }).dblclick();
  await expect(dialog.locator('.jp-BreadCrumbs')).toContainText('inner');
  await dialog.getByRole('button', { name: 'Select' }).click();
  await expect(folder).toHaveValue(`${tmpPath}/inner`);
});
