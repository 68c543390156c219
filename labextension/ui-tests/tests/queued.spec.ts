import { expect, test } from './workspace';

const PROJECT = 'gpuquota/api/projects/team-e';
// With its date where that is tomorrow.
const TIME = '(\\d+/\\d+/\\d+, )?\\d+:\\d\\d';
const STARTS = new RegExp(`starts about ${TIME}`, 'i');

test('a queued session says when it should start, in row, details and dashboard', async ({
  page,
  workspace,
  api,
  request,
  baseURL
}) => {
  const made = await request.put(`${baseURL}/${PROJECT}`, {
    data: { quota: '1', interactive_duration: '2h' }
  });
  expect(made.status(), await made.text()).toBe(200);
  const team = { project: 'team-e', gpu: '1' };
  await api.create({ name: 'first', ...team });
  await api.reaches('first', 'running');
  await workspace.open();
  await api.create({ name: 'second', ...team });
  const row = workspace.row('second');
  await expect(row).toContainText(STARTS);

  // By the keyboard alone: why it waits, in the panel's overview.
  const why = workspace.panel.locator('summary', { hasText: 'why?' });
  await workspace.panel.getByRole('combobox', { name: 'Project' }).focus();
  await expect(async () => {
    await page.keyboard.press('Tab');
    await expect(why).toBeFocused({ timeout: 500 });
  }).toPass({ intervals: [0], timeout: 60_000 });
  await page.keyboard.press('Enter');
  await expect(
    workspace.panel.getByText(/team-e's .* quota\. Starts when 1 GPU/)
  ).toBeVisible();

  await row.focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Show Details' }).click();
  await expect(page.locator('.jp-GpuQuota-details')).toContainText(STARTS);

  await workspace.panel.getByRole('button', { name: 'Dashboard' }).click();
  const queued = page.getByRole('table', { name: /^Queued/ });
  await expect(
    queued.getByRole('columnheader', { name: /Starts about/ })
  ).toBeVisible();
  await expect(
    queued.getByRole('cell', { name: new RegExp(`^${TIME}`) })
  ).toBeVisible();
});
