import { expect, test } from './workspace';

test.beforeEach(async ({ workspace }) => {
  await workspace.open();
});

test('a session is suspended, resumed and stopped', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'life' });
  const row = workspace.row('life');
  await expect(row).toContainText('Running');
  const dialog = page.getByRole('dialog');
  await workspace.act('life', 'Suspend…');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await expect(row).toContainText('Suspended', { timeout: 60_000 });
  await workspace.act('life', 'Resume');
  await expect(row).toContainText('Running', { timeout: 60_000 });

  await workspace.act('life', 'Stop…');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(row.getByRole('button', { name: 'More actions' })).toBeFocused();
  await expect(row).toContainText('Running');
  await workspace.act('life', 'Stop…');
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await expect(row).toContainText('Stopped', { timeout: 60_000 });
});

test('what is deleted can be undone for a while, and then is gone', async ({
  page,
  workspace,
  api
}) => {
  for (const name of ['undone', 'deleted']) {
    await api.create({ name });
    await api.reaches(name, 'running');
    await api.stop(name);
    await api.reaches(name, 'stopped');
  }
  await expect(workspace.row('undone')).toContainText('Stopped');

  await workspace.act('undone', 'Delete');
  await expect(workspace.row('undone')).toHaveCount(0);
  const notice = workspace.notice('undone deleted');
  await notice.getByRole('button', { name: 'Undo' }).click();
  await expect(workspace.row('undone')).toBeFocused();

  await workspace.row('deleted').focus();
  await page.keyboard.press('Delete');
  await expect(workspace.row('deleted')).toHaveCount(0);
  await expect
    .poll(async () => (await api.list()).map(({ spec }) => spec.name))
    .toEqual(['undone']);
  await expect(workspace.row('undone')).toBeVisible();
});

test('a running session is not deleted, and the menu says so', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'busy' });
  await expect(workspace.row('busy')).toContainText('Running');
  await workspace.row('busy').click({ button: 'right' });
  const entry = page
    .getByRole('menu')
    .getByRole('menuitem', { name: 'Delete' });
  await expect(entry).toHaveAttribute('aria-disabled', 'true');
});

test('a waiting session says why, in the list and for its team', async ({
  workspace,
  api
}) => {
  await api.create({ name: 'holder', project: 'team-b', gpu: '2' });
  await api.create({ name: 'waiter', project: 'team-b', gpu: '1' });
  await expect(workspace.row('waiter')).toContainText(
    'Queued (#1): quota used up'
  );
  await workspace.panel
    .getByRole('combobox', { name: 'Project' })
    .selectOption('team-b');
  await workspace.panel.getByText('1 session queued – why?').click();
  await expect(
    workspace.panel.locator('details').filter({ hasText: 'why?' })
  ).toContainText('Starts when 1 GPU of that is released.');
});

test('a URL is copied that leads to the session', async ({
  page,
  workspace,
  api
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const { id } = await api.create({ name: 'copied', command: [] });
  await expect(workspace.row('copied')).toContainText('Running', {
    timeout: 90_000
  });
  await workspace.act('copied', 'Copy URL');
  const url = await page.evaluate(() => navigator.clipboard.readText());
  expect(url).toMatch(new RegExp(`^http://.*/gpuquota/s/${id}/$`));
});

test('details tell how a session ended @live', async ({
  page,
  workspace,
  api
}) => {
  const command = ['sh', '-c', 'echo loading; echo no such file >&2; exit 3'];
  await api.create({ name: 'broken', command });
  await expect(workspace.row('broken')).toContainText('Failed');
  await workspace.act('broken', 'Show Details');
  const details = page.locator('.jp-GpuQuota-details');
  await expect(details).toContainText('no such file');
  await expect(details.locator('dd').first()).toHaveText('3');
  await details.getByRole('button', { name: 'Resume' }).click();
  await expect(details.locator('header')).toContainText('Failed');
});
