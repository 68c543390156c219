import { expect, test } from './workspace';

test.beforeEach(async ({ workspace }) => {
  await workspace.open();
});

test('a session is suspended, resumed and stopped, and not deleted meanwhile', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'life' });
  const row = workspace.row('life');
  await expect(row).toContainText('Running');
  await row.click({ button: 'right' });
  const entry = page
    .getByRole('menu')
    .getByRole('menuitem', { name: 'Delete' });
  await expect(entry).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');

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
