import { runCode } from '../tests/notebook';
import { expect, test } from '../tests/workspace';

test('a pod is launched from the panel, and its notebook, terminal and log work', async ({
  page,
  workspace
}) => {
  await workspace.open();
  await workspace.openForm();
  await expect(workspace.verdict).toContainText('of your quota');
  await expect(workspace.verdict).toContainText('simulated');
  await workspace.form
    .getByRole('button', { name: 'Launch', exact: true })
    .click();
  const row = workspace.row('exp-1');
  await expect(row).toContainText(process.env.GPUQUOTA_TEST_NAMESPACE ?? '?');
  await expect(row).toContainText('Running', { timeout: 240_000 });

  const tab = page.context().waitForEvent('page');
  await row.getByRole('button', { name: /^Open exp-1/ }).click();
  const session = await tab;
  await expect(session.locator('#jp-top-panel')).toBeVisible({
    timeout: 240_000
  });
  await expect(await runCode(session, 'print(6 * 7)')).toHaveText('42');

  await session.keyboard.press('Control+Shift+L');
  await session.getByText('Terminal', { exact: true }).last().click();
  const terminal = session.locator('.jp-Terminal .xterm-helper-textarea');
  await terminal.waitFor({ state: 'attached', timeout: 60_000 });
  // Its screen is a canvas: what a terminal prints is read from a file.
  const [base] = session.url().match(/^.*\/gpuquota\/s\/[\w-]+\//) ?? [''];
  await expect(async () => {
    await terminal.focus();
    await session.keyboard.type('echo $GPUQUOTA_SHARE > share.txt');
    await session.keyboard.press('Enter');
    const file = await session.request.get(`${base}files/share.txt`);
    expect(await file.text()).toContain('0.5 GPU');
  }).toPass({ timeout: 90_000 });
  await session.close();

  await workspace.act('exp-1', 'Show Log');
  await expect(page.locator('.jp-GpuQuota-log').getByRole('log')).toContainText(
    'ServerApp'
  );

  await workspace.act('exp-1', 'Stop…');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await expect(row).toContainText('Stopped', { timeout: 240_000 });
});
