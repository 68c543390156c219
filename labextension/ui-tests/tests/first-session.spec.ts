import { runCode } from './notebook';
import { expect, test } from './workspace';

test('half a GPU is launched from the panel, opened through the ingress, copied and stopped @live', async ({
  page,
  workspace,
  api
}) => {
  await workspace.open();
  await workspace.panel
    .getByRole('button', { name: 'Launch a session' })
    .click();
  await expect(workspace.verdict).toContainText('Starts now');
  await expect(workspace.verdict).toContainText('simulated');
  await workspace.form
    .getByRole('button', { name: 'Launch', exact: true })
    .click();

  const row = workspace.row('exp-1');
  await expect(row).toBeFocused();
  await expect(row).toContainText('½ GPU');
  await expect(row).toContainText('Running', { timeout: 90_000 });
  await expect(row).not.toContainText('simulated');
  await expect(workspace.panel.getByText('simulated')).toHaveCount(1);
  await expect(workspace.panel.getByRole('meter')).toHaveAttribute(
    'aria-valuenow',
    '500'
  );

  const tab = page.context().waitForEvent('page');
  await row.getByRole('button', { name: /^Open exp-1/ }).click();
  const session = await tab;
  await expect(session).toHaveURL(/\/gpuquota\/s\/[\w-]+\//);
  await expect(session.locator('#jp-top-panel')).toBeVisible({
    timeout: 90_000
  });
  expect(await session.evaluate(() => window.opener)).toBeNull();
  await expect(await runCode(session, 'print(6 * 7)')).toHaveText('42');
  await session.close();

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await workspace.act('exp-1', 'Copy URL');
  const [{ id }] = await api.list();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    new RegExp(`^http://.*/gpuquota/s/${id}/$`)
  );

  await workspace.act('exp-1', 'Stop…');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await expect(row).toContainText('Stopped', { timeout: 60_000 });
  await api.reaches('exp-1', 'stopped');
  await expect(workspace.panel.getByRole('meter')).toHaveAttribute(
    'aria-valuenow',
    '0'
  );
});
