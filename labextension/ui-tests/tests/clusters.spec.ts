import { expect } from '@playwright/test';
import { withLab } from './ownlab';

const test = withLab('jupyter_server_own_config.py', 'jupyterlab', {
  GPUQUOTA_TEST_CLUSTERS: 'yes'
});

/** Its tests load JupyterLab several times. */
test.describe.configure({ timeout: 240_000 });

test.afterEach(async ({ lab }) => {
  await lab.api.clear();
});

test('a session waits in one cluster, and goes on to the next @live', async ({
  context,
  lab
}) => {
  const { api, origin, token } = lab;
  await api.create({ name: 'first', gpu: '4' });
  await api.reaches('first', 'running');
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/lab?token=${token}`);
  await page
    .getByRole('tab', { name: 'GPU Workspace' })
    .click({ timeout: 120_000 });
  const panel = page.locator('.jp-GpuQuota-sidebar');
  const row = (name: string) =>
    panel.getByRole('row', { name: new RegExp(`^${name},`) });

  await panel.getByRole('button', { name: 'Launch' }).first().click();
  const form = page.locator('.jp-GpuQuota-form');
  await form.getByLabel('Name').fill('patient');
  await form.getByRole('button', { name: 'Add a cluster' }).click();
  await form.getByRole('button', { name: 'Add a cluster' }).click();
  await expect(form.getByRole('combobox', { name: 'Cluster 1' })).toHaveValue(
    'lab'
  );
  await expect(form.getByRole('combobox', { name: 'Cluster 2' })).toHaveValue(
    'cloud'
  );
  await form.getByLabel('Wait in each for').fill('10m');
  const verdict = form.locator('.jp-GpuQuota-verdict');
  await expect(verdict).toContainText('lab: Will be queued');
  await expect(verdict).toContainText('Then cloud: Starts now on gpu-1');
  await form.getByRole('button', { name: 'Launch and queue' }).click();
  await expect(row('patient')).toContainText(/Goes on to cloud at/);

  // The same, but for the time that it waits.
  await api.create({
    name: 'hasty',
    gpu: '1',
    on: ['lab', 'cloud'],
    on_wait: '10s'
  });
  await expect(row('hasty')).toContainText('cloud/ml', { timeout: 120_000 });
  await expect(row('hasty')).toContainText('Running', { timeout: 120_000 });
  await row('hasty').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Show Details' }).click();
  const details = page.locator('.jp-GpuQuota-details');
  await expect(details).toContainText(/Waited \d+ s in lab; now in cloud/);
  await expect(details).toContainText('lab · 1 GPU: tried');
  await api.stop('hasty');
});
