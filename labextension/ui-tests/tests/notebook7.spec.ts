import { expect } from '@playwright/test';
import { NOTEBOOK } from './notebook';
import { withLab } from './ownlab';
import { LEAN } from './workspace';

const test = withLab('jupyter_server_notebook_config.py', 'notebook');

const SOURCE = 'import os; print(os.environ["GPUQUOTA_SHARE"])';
const METADATA = { kernelspec: { name: 'gpu-exp-1', display_name: 'exp-1' } };

test.afterEach(async ({ lab }) => {
  await lab.api.clear();
});

test('Notebook 7 runs a cell in a session, and shows what its kernel has @live', async ({
  context,
  lab
}) => {
  const { api, origin, request, token } = lab;
  await api.create({ name: 'exp-1', ...LEAN });
  await api.reaches('exp-1', 'running');
  await expect
    .poll(async () => (await request.get(`${origin}/api/kernelspecs`)).text(), {
      timeout: 60_000
    })
    .toContain('"gpu-exp-1"');
  const [cell] = NOTEBOOK.cells;
  const content = {
    ...NOTEBOOK,
    metadata: METADATA,
    cells: [{ ...cell, source: SOURCE }]
  };
  const written = await request.put(`${origin}/api/contents/a.ipynb`, {
    data: { type: 'notebook', content }
  });
  expect(written.ok(), await written.text()).toBe(true);

  const page = await context.newPage();
  await page.goto(`${origin}/notebooks/a.ipynb?token=${token}`);
  const item = page.locator('.jp-GpuQuota-kernelItem button');
  await expect(item).toHaveAccessibleName('½ GPU, simulated, Kernel in exp-1', {
    timeout: 120_000
  });
  const source = page.locator('.jp-Notebook .cm-content').first();
  const output = page.locator('.jp-OutputArea-output').first();
  // Notebook 7 runs nothing while it connects to the kernel.
  await expect(async () => {
    await source.click();
    await page.keyboard.press('Control+Enter');
    await expect(output).toHaveText(/^0.5 GPU\s*$/, { timeout: 10_000 });
  }).toPass({ timeout: 90_000 });

  await item.click();
  await page.getByRole('menuitem', { name: 'Show Details' }).click();
  await expect(page.locator('.jp-GpuQuota-details')).toContainText('exp-1');
  await expect(item).toBeVisible();
  const tab = page.locator('#jp-down-stack .lm-TabBar-tab', {
    hasText: 'exp-1'
  });
  const icon = await tab.locator('.lm-TabBar-tabIcon svg').boundingBox();
  const label = await tab.locator('.lm-TabBar-tabLabel').boundingBox();
  expect(icon!.x + icon!.width).toBeLessThanOrEqual(label!.x);
  const middles = [icon, label].map(box => box!.y + box!.height / 2);
  expect(Math.abs(middles[0] - middles[1])).toBeLessThanOrEqual(1.5);
});

test('Notebook 7 has the panel beside its files', async ({ context, lab }) => {
  const { api, origin, token } = lab;
  await api.create({ name: 'listed' });
  const page = await context.newPage();
  await page.goto(`${origin}/tree?token=${token}`);
  await page
    .locator('.jp-TreePanel')
    .getByRole('tab', { name: 'GPU Workspace' })
    .click({ timeout: 120_000 });
  await expect(
    page.locator('.jp-GpuQuota-sidebar [data-row]', { hasText: 'listed' })
  ).toBeVisible();

  // An admin sets when idle sessions end, by the keyboard alone.
  const { keyboard } = page;
  await keyboard.press('Control+Shift+C');
  await page.locator('.lm-CommandPalette-input').fill('Manage GPU Projects');
  await keyboard.press('Enter');
  const add = page.getByRole('button', { name: 'Add policy' });
  await expect(add).toBeVisible();
  await expect(async () => {
    await keyboard.press('Tab');
    await expect(add).toBeFocused({ timeout: 200 });
  }).toPass({ intervals: [0], timeout: 60_000 });
  await keyboard.press('Enter');
  await expect(page.getByLabel('Applies to')).toBeFocused();
  await keyboard.type('everyone');
  await keyboard.press('Tab');
  await keyboard.type('2 h');
  await keyboard.press('Enter');
  await expect(page.getByText('everyone was saved.')).toBeVisible();
  await expect(add).toBeFocused();
});
