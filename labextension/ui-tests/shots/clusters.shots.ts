import { resolve } from 'path';
import { expect } from '@playwright/test';
import { withLab } from '../tests/ownlab';

const IMAGES = resolve(__dirname, '../../../docs/images');

const test = withLab('jupyter_server_own_config.py', 'jupyterlab', {
  GPUQUOTA_TEST_CLUSTERS: 'yes'
});

test('clusters', async ({ context, lab }) => {
  const { api, origin, token } = lab;
  await api.create({ name: 'first', gpu: '4' });
  await api.reaches('first', 'running');
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/lab?token=${token}`);
  await page
    .getByRole('tab', { name: 'GPU Workspace' })
    .click({ timeout: 120_000 });
  await page.addStyleTag({ content: '.Toastify { display: none }' });
  const panel = page.locator('.jp-GpuQuota-sidebar');
  const on = ['lab', 'cloud'];
  await api.create({ name: 'exp-1', gpu: '1', on, on_wait: '30m' });
  await expect(panel).toContainText('Goes on to cloud');
  await panel.getByRole('button', { name: 'Launch' }).first().click();
  const form = page.locator('.jp-GpuQuota-form');
  const adding = form.getByRole('button', { name: 'Add a cluster' });
  await adding.click();
  await adding.click();
  await form.getByLabel('Wait in each for').fill('30m');
  await expect(form).toContainText('Then cloud: Starts now');
  await page.screenshot({
    path: `${IMAGES}/clusters.png`,
    animations: 'disabled'
  });
  await api.clear();
});
