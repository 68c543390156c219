import { expect, PANEL, test } from './workspace';

test('the launcher and the palette open the form', async ({
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
});

test('the status bar says what is mine, and leads to the panel', async ({
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
});

test('the Running panel lists my sessions and stops them', async ({
  page,
  api
}) => {
  await api.create({ name: 'listed' });
  await page.sidebar.openTab('jp-running-sessions');
  const item = page.locator('.jp-RunningSessions-item', { hasText: 'listed' });
  await expect(item).toBeVisible();
  await item.hover();
  await item.getByTitle('Stop').click();
  await api.reaches('listed', 'stopped');
  await expect(item).toHaveCount(0);
});

test('notices say what is ready, what failed and what waits, and can be switched off @live', async ({
  page,
  workspace,
  api
}) => {
  await workspace.open();
  await expect(workspace.panel.getByText('No sessions yet')).toBeVisible();
  await api.create({ name: 'good', project: 'team-b', gpu: '2' });
  await expect(workspace.notice('good is running')).toBeVisible();
  await api.create({ name: 'later', project: 'team-b', gpu: '1' });
  const waits = workspace.notice(
    "later is queued: team-b's interactive sessions already use"
  );
  await waits.getByRole('button', { name: 'Details' }).click();
  await expect(page.locator('.jp-GpuQuota-details')).toContainText('Queued');

  await api.create({ name: 'bad', command: ['sh', '-c', 'exit 7'] });
  const failed = workspace.notice('bad failed');
  await failed.getByRole('button', { name: "Don't show again" }).click();
  await api.create({ name: 'worse', command: ['sh', '-c', 'exit 8'] });
  await expect(workspace.row('worse')).toContainText('Failed');
  await api.create({ name: 'fine' });
  await expect(workspace.notice('fine is running')).toBeVisible();
  await expect(workspace.notice('worse failed')).toHaveCount(0);
});

test('settings are known to the settings editor', async ({ page }) => {
  const ids = await page.evaluate(async () => {
    const manager = window.jupyterapp.serviceManager.settings;
    return (await manager.list('ids')).ids;
  });
  expect(ids).toContain('jupyter-gpuquota:plugin');
});

test('the live element shows the state wherever a page has it', async ({
  page,
  api
}) => {
  await page.evaluate(() => {
    const host = document.createElement('div');
    host.id = 'live-test';
    host.style.cssText =
      'position: fixed; inset: 100px auto auto 400px; z-index: 9999; background: white';
    host.innerHTML =
      '<gpuquota-live noun="sessions" project="team-a"><p>a table</p></gpuquota-live>';
    document.body.append(host);
  });
  const live = page.locator('#live-test');
  await expect(live).toContainText('No sessions.');
  await api.create({ name: 'alive' });
  await api.create({ name: 'elsewhere', project: 'team-b' });
  await expect(live.getByRole('row', { name: /alive/ })).toContainText(
    'Running'
  );
  await expect(live).not.toContainText('elsewhere');
  await live.evaluate(host => {
    const element = host.firstElementChild;
    element?.setAttribute('noun', 'quota');
    element?.setAttribute('project', '');
  });
  await expect(live.getByRole('row', { name: /team-b/ })).toContainText(
    '0.5 of 2'
  );
});
