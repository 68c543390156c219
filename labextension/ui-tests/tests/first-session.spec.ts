import type { Locator, Page } from '@playwright/test';
import { expect, test } from './workspace';

/** Wait until a kernel has said who it is: what runs earlier, JupyterLab drops without a word. */
async function kernelAnswers(page: Page): Promise<void> {
  const socket = await page.waitForEvent('websocket', {
    predicate: made => made.url().includes('/channels'),
    timeout: 90_000
  });
  await socket.waitForEvent('framereceived', {
    predicate: frame => frame.payload.toString().includes('kernel_info_reply'),
    timeout: 90_000
  });
}

/** Run code in a new notebook of a session's own JupyterLab, and return what it printed. */
async function runCode(page: Page, code: string): Promise<Locator> {
  const answered = kernelAnswers(page);
  await page.getByText('Python 3 (ipykernel)').first().click();
  await answered;
  // Galata's helpers are for a JupyterLab that shows itself to scripts; this one does not.
  /* eslint-disable jupyter/galata-prefer-notebook-cell-helper */
  const cell = page.locator('.jp-Notebook .jp-Cell .cm-content').first();
  const output = page.locator('.jp-OutputArea-output').first();
  // The reply is there, but JupyterLab has yet to read it: who is too quick runs the cell again.
  await expect(async () => {
    await cell.fill(code);
    await cell.press('Control+Enter');
    await output.waitFor({ timeout: 10_000 });
  }).toPass({ timeout: 90_000 });
  /* eslint-enable jupyter/galata-prefer-notebook-cell-helper */
  return output;
}

test('half a GPU is launched from the panel, opened through the ingress and stopped @live', async ({
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
  await expect(row).toContainText('0.5 GPU');
  await expect(row).toContainText('Running', { timeout: 90_000 });
  await expect(row).toContainText('simulated');
  await expect(row).toContainText('not enforced');
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

  await workspace.act('exp-1', 'Stop…');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await expect(row).toContainText('Stopped', { timeout: 60_000 });
  await api.reaches('exp-1', 'stopped');
  await expect(workspace.panel.getByRole('meter')).toHaveAttribute(
    'aria-valuenow',
    '0'
  );
});
