import { resolve } from 'path';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { expect, Workspace } from '../tests/workspace';
import { card, test as base } from '../tests/templates';

const IMAGES = resolve(__dirname, '../../../docs/images');

/** Sessions and a template for notebooks, and a page without passing notices. */
const test = base.extend<{ ready: Workspace }>({
  ready: async ({ page, workspace, api, templates }, use) => {
    await templates.save('Small', {
      request: { project: 'team-c', gpu: '0.25', kind: 'interactive' }
    });
    await templates.save('Large', {
      request: { project: 'team-c', gpu: '2', kind: 'interactive' }
    });
    await api.create({ name: 'exp-1', command: [] });
    await api.create({ name: 'exp-2', gpu: '1', command: [] });
    await api.reaches('exp-1', 'running');
    await api.reaches('exp-2', 'running');
    await page.addStyleTag({ content: '.Toastify { display: none }' });
    await page.sidebar.close();
    await use(workspace);
  }
});

test.use({ viewport: { width: 1000, height: 360 } });

const item = (page: IJupyterLabPageFixture) =>
  page.locator('.jp-GpuQuota-kernelItem button');

const shoot = (page: IJupyterLabPageFixture, name: string) =>
  page.screenshot({ path: `${IMAGES}/${name}.png`, animations: 'disabled' });

/** Run a cell, and do not wait for its end. */
async function run(page: IJupyterLabPageFixture, code: string): Promise<void> {
  await page.notebook.setCell(0, 'code', code);
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('notebook:run-cell');
  });
}

test('kernel picker', async ({ page, ready, request }) => {
  const offered = async () =>
    (await request.get(`${ready.api.base}/api/kernelspecs`)).text();
  await expect.poll(offered).toContain('exp-2');
  // JupyterLab looks for new ones once a minute.
  await page.evaluate(() =>
    window.jupyterapp.serviceManager.kernelspecs.refreshSpecs()
  );
  await page.setViewportSize({ width: 1000, height: 400 });
  await page.notebook.createNew('analysis.ipynb', { kernel: 'python3' });
  await page.getByText('Python 3 (ipykernel) | Idle').waitFor();
  await page.getByTitle('Switch kernel').click();
  const dialog = page.locator('.jp-Dialog');
  await expect(dialog.locator('option', { hasText: 'exp-2' })).toHaveCount(1);
  // Its list is drawn by the operating system, and no part of a picture otherwise.
  await page.addStyleTag({
    content:
      '.jp-Dialog :is(select, .jp-select-wrapper) { height: auto !important; min-height: 220px; background-image: none }'
  });
  await dialog
    .locator('select')
    .evaluate(node => node.setAttribute('size', '12'));
  await shoot(page, 'kernel-picker');
});

test('kernel that waits', async ({ page, ready }) => {
  await ready.api.create({ name: 'before', project: 'team-c', gpu: '1' });
  await ready.api.reaches('before', 'running');
  await card(page, 'Large').click();
  await expect(item(page)).toContainText('Queued (#1)');
  await run(page, 'model = train(epochs=10)');
  await expect(page.locator('.jp-OutputArea-output')).toContainText('position');
  await shoot(page, 'kernel-waits');
});

test('kernel item', async ({ page, ready }) => {
  expect(ready.api.base).not.toBe('');
  await card(page, 'Small').click();
  await expect(item(page)).toContainText('¼ GPU');
  await run(page, 'import os\nprint(os.environ["GPUQUOTA_SHARE"])');
  await expect(page.locator('.jp-OutputArea-output')).toContainText('0.25', {
    timeout: 90_000
  });
  await item(page).click();
  await page.getByRole('menuitem', { name: 'Change Share…' }).hover();
  await shoot(page, 'kernel-item');
});
