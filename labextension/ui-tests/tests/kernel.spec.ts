import type { Locator, Page } from '@playwright/test';
import { expectAccessible, inThemes, setTheme } from './accessible';
import { card, SERVED, test } from './templates';
import { expect, LEAN } from './workspace';

const item = (page: Page): Locator =>
  page.locator('.jp-GpuQuota-kernelItem button');
const output = (page: Page): Locator =>
  page.locator('.jp-OutputArea-output').last();

test('a card of the Launcher opens a notebook on a new session, which ends with it @live', async ({
  page,
  api,
  templates,
  tmpPath
}) => {
  await templates.save('Small', {
    on_shutdown: 'suspend',
    request: { ...SERVED, project: 'team-a', gpu: '0.25' }
  });
  await card(page, 'Small').click();
  await expect(item(page)).toContainText('GPU');
  const code =
    'import os; kept = list(range(1000))\nprint(os.environ["GPUQUOTA_SHARE"], os.getcwd())';
  await page.notebook.setCell(0, 'code', code);
  await page.notebook.runCell(0, true);
  await expect(output(page)).toContainText('0.25 GPU', { timeout: 90_000 });
  await expect(output(page)).toContainText(tmpPath);
  const [{ spec }] = await api.list();
  await expect(item(page)).toHaveAccessibleName(
    `¼ GPU, simulated, Kernel in ${spec.name}`
  );

  await item(page).click();
  await page.getByRole('menuitem', { name: 'Change Share…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('radio', { name: '¼' })).toBeChecked();
  await expect(dialog).toContainText('kernel memory is lost');
  await dialog.getByLabel('Variables to keep').fill('kept');
  await expectAccessible(page, ['.jp-Dialog', '.jp-GpuQuota-kernelItem']);
  await dialog.getByRole('radio', { name: '½' }).check();
  await dialog.getByRole('button', { name: 'Relaunch' }).click();
  await expect(item(page)).toContainText('½ GPU', { timeout: 90_000 });
  await page.notebook.setCell(0, 'code', 'print("kept", sum(kept))');
  await expect(async () => {
    // A cell that is sent while the old kernel ends may end with it.
    await page.notebook.runCell(0, true);
    await expect(output(page)).toContainText('kept 499500');
  }).toPass({ timeout: 120_000 });

  await page.notebook.save();
  await page.notebook.close();
  await api.reaches(spec.name, 'suspended');
});

test('a new notebook is on a GPU only if that is chosen @live', async ({
  page,
  api,
  templates,
  request
}) => {
  await api.create({ name: 'exp-1', ...LEAN });
  await templates.save('First', {
    request: { project: 'team-a', gpu: '2', kind: 'interactive' }
  });
  const offered = async () => {
    const answer = await request.get(`${api.base}/api/kernelspecs`);
    return Object.keys((await answer.json()).kernelspecs).sort();
  };
  await expect.poll(offered).toEqual(['gpu-exp-1', 'gpu-new-first', 'python3']);
  await page.evaluate(() => {
    const { commands, serviceManager } = window.jupyterapp;
    void serviceManager.kernelspecs
      .refreshSpecs()
      .then(() => commands.execute('notebook:create-new'));
  });
  const dialog = page.locator('.jp-Dialog');
  const offers = dialog.locator('option');
  await expect(offers.and(page.locator(':checked'))).toHaveText(
    'Python 3 (ipykernel)'
  );
  await expect(offers.filter({ hasText: /^Python 3 on exp-1/ })).toHaveCount(1);
  await expect(
    offers.filter({ hasText: /2 GPUs, 64 GiB · First$/ })
  ).toHaveCount(1);
  await dialog.getByRole('button', { name: 'No Kernel' }).click();
});

for (const [theme, title] of inThemes(
  'a cell waits for its session, and says why, also at 200 % zoom'
)) {
  test(`${title} @live`, async ({ page, api, templates, workspace }) => {
    await setTheme(page, theme);
    await api.create({ name: 'before', project: 'team-c', gpu: '2' });
    await api.reaches('before', 'running');
    await templates.save('Queued', {
      request: { ...SERVED, project: 'team-c', gpu: '1' }
    });
    await card(page, 'Queued').click();
    await expect(item(page)).toContainText('Queued (#1)');
    await page.notebook.setCell(0, 'code', 'print(6 * 7)');
    await page.evaluate(() => {
      void window.jupyterapp.commands.execute('notebook:run-cell');
    });
    await expect(output(page)).toContainText('is queued: ');
    await expect(output(page)).toContainText('position 1');

    // Half as many CSS pixels, each twice as large: what a browser makes of its zoom.
    await zoom(page);
    await workspace.open();
    await page.sidebar.setWidth(260);
    const whole = (part: Locator) =>
      part.evaluate(node => node.scrollWidth <= node.clientWidth);
    await expect.poll(() => whole(output(page))).toBe(true);
    await expect.poll(() => whole(workspace.panel)).toBe(true);
    // The toolbar shows what it has no room for when it is asked to.
    await page.locator('.jp-Toolbar-responsive-opener:visible').click();
    await expect(item(page)).toBeInViewport({ ratio: 1 });
    await expect(item(page)).toContainText('Queued (#1)');
    await expectAccessible(page, [
      '.jp-GpuQuota-kernelItem',
      '.jp-OutputArea',
      '.jp-GpuQuota-team'
    ]);
    await item(page).click();
    const details = page.getByRole('menuitem', { name: 'Show Details' });
    await expect(details).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await expect(details).toHaveCount(0);

    await api.stop('before');
    await expect(output(page)).toHaveText(/^\s*42\s*$/, { timeout: 90_000 });
  });
}

/** Show a page as at 200 %, until its size is set again. */
async function zoom(page: Page): Promise<void> {
  await page.setViewportSize({ width: 640, height: 400 });
  const devtools = await page.context().newCDPSession(page.mainFrame());
  await devtools.send('Emulation.setDeviceMetricsOverride', {
    width: 640,
    height: 400,
    deviceScaleFactor: 2,
    mobile: false
  });
}
