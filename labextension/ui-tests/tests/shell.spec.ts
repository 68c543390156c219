import { expect, PANEL, test } from './workspace';

test('the launcher and the palette open the form, and settings are known', async ({
  page,
  workspace
}) => {
  const section = page.locator('.jp-Launcher-section', {
    has: page.getByRole('heading', { name: 'GPU', exact: true })
  });
  await expect(section.locator('.jp-LauncherCard')).toHaveText([
    /Launch a GPU Session/,
    /½ GPU/,
    /GPU Dashboard/
  ]);
  await page
    .locator('.jp-LauncherCard', { hasText: 'Launch a GPU Session' })
    .click();
  await expect(workspace.form).toBeVisible();
  await workspace.form.getByRole('button', { name: 'Cancel' }).click();

  await page.keyboard.press('ControlOrMeta+Shift+C');
  await page.keyboard.type('gpu launch');
  await page.keyboard.press('Enter');
  await expect(workspace.form.getByLabel('Name')).toBeFocused();

  const ids = await page.evaluate(async () => {
    const manager = window.jupyterapp.serviceManager.settings;
    return (await manager.list('ids')).ids;
  });
  expect(ids).toContain('jupyter-gpuquota:plugin');
});

test('the status bar says what is mine and leads to the panel, and the Running panel stops it', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'mine', gpu: '0.25' });
  const item = page.locator('.jp-GpuQuota-statusItem');
  await expect(item).toHaveText('¼ GPU in use (simulated)');
  await item.click();
  await expect(workspace.row('mine')).toBeVisible();
  expect(await page.sidebar.isTabOpen(PANEL)).toBe(true);

  await page.sidebar.openTab('jp-running-sessions');
  const running = page.locator('.jp-RunningSessions-item', { hasText: 'mine' });
  await running.hover();
  await running.getByTitle('Stop').click();
  await api.reaches('mine', 'stopped');
  await expect(running).toHaveCount(0);
});
