import { resolve } from 'path';
import type { APIRequestContext } from '@playwright/test';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { galata } from '@jupyterlab/galata';
import { Administration } from '../tests/administration';
import { expect, test as base, Workspace } from '../tests/workspace';

const IMAGES = resolve(__dirname, '../../../docs/images');

const TRAINING = `
import time
for step in range(1, 100_000):
    print(f"epoch 1  step {step:5d}  loss {2.3 / (1 + step / 80):.4f}")
    time.sleep(0.05 if step < 400 else 1)
`;

const python = (code: string) => ['python3', '-u', '-c', code];

/** A machine that several people use, and a page without passing notices. */
const test = base.extend<{ busy: Workspace }>({
  tmpPath: async ({ request }, use) => {
    const contents = galata.newContentsHelper(request);
    await contents.createDirectory('experiments');
    await use('experiments');
    await contents.deleteDirectory('experiments');
  },
  busy: async ({ page, workspace, api }, use) => {
    await api.create({ name: 'exp-1', command: [] });
    await api.create({
      name: 'data-prep',
      gpu: '0.25',
      kind: 'train',
      command: ['sh', '-c', 'echo reading /data/train.csv; exit 3']
    });
    await api.create({
      name: 'big-train',
      project: 'team-b',
      gpu: '2',
      command: python(TRAINING)
    });
    // Interactive: a training would borrow instead of waiting.
    await api.create({ name: 'next-train', project: 'team-b', gpu: '1' });
    await api.reaches('exp-1', 'running');
    await api.reaches('data-prep', 'failed');
    await page.addStyleTag({ content: '.Toastify { display: none }' });
    await workspace.open();
    await page.sidebar.setWidth(300);
    await expect(workspace.row('exp-1')).toContainText('Running');
    await use(workspace);
  }
});

const shoot = (page: IJupyterLabPageFixture, name: string) =>
  page.screenshot({ path: `${IMAGES}/${name}.png`, animations: 'disabled' });

test('panel', async ({ page, busy }) => {
  await page.notebook.createNew('analysis.ipynb');
  await page.notebook.setCell(
    0,
    'code',
    '%load_ext jupyter_gpuquota\n%gpu list'
  );
  await page.notebook.runCell(0);
  await page.locator('.jp-OutputArea-output').first().waitFor();
  await busy.row('exp-1').hover();
  await shoot(page, 'panel');
});

test('launch', async ({ page, busy }) => {
  await busy.openForm();
  await expect(busy.verdict).toContainText('Starts now');
  await shoot(page, 'launch');
});

test('launch that waits', async ({ page, busy }) => {
  await busy.openForm();
  await busy.form.getByLabel('Project').selectOption('team-b');
  await expect(busy.verdict).toContainText('Will be queued');
  await shoot(page, 'launch-waits');
});

test('session', async ({ page, busy }) => {
  const tab = page.context().waitForEvent('page');
  await busy.row('exp-1').getByRole('button', { name: /^Open/ }).click();
  const session = await tab;
  await session.setViewportSize({ width: 1280, height: 800 });
  await session.locator('.jp-LauncherCard').first().waitFor();
  await session.addStyleTag({ content: '.Toastify { display: none }' });
  await session.screenshot({ path: `${IMAGES}/session.png` });
  await session.close();
});

test('logs', async ({ page, busy }) => {
  await busy.act('big-train', 'Show Log');
  const log = page.locator('.jp-GpuQuota-log');
  await expect(log).toContainText('step   400', { timeout: 90_000 });
  await log.getByLabel('Search in the log').fill('step   39');
  await expect(log).toContainText('10 of 10');
  await shoot(page, 'logs');
});

/** Where this machine keeps things is no part of a picture. */
async function hidePaths(page: IJupyterLabPageFixture): Promise<void> {
  await page.locator('.jp-GpuQuota-details').evaluate(details => {
    const values = [...details.querySelectorAll('dd > code')];
    const [environment, folder] = values.map(node => node.textContent ?? '');
    const walker = document.createTreeWalker(details, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      node.nodeValue = (node.nodeValue ?? '')
        .replace(environment, '/opt/conda')
        .replace(folder, '/home/ana');
    }
  });
}

test('details', async ({ page, busy }) => {
  await busy.act('data-prep', 'Show Details');
  await expect(page.locator('.jp-GpuQuota-details')).toContainText('train.csv');
  await hidePaths(page);
  await shoot(page, 'details');
});

test('dark', async ({ page, busy }) => {
  await page.theme.setDarkTheme();
  await busy.act('exp-1', 'Show Details');
  await expect(page.locator('.jp-GpuQuota-details')).toContainText('Isolation');
  await hidePaths(page);
  await shoot(page, 'dark');
});

test('dashboard', async ({ page, busy, api }) => {
  await api.create({
    name: 'night-run',
    project: 'team-c',
    gpu: '3',
    kind: 'train'
  });
  await api.reaches('night-run', 'running');
  await busy.panel.getByRole('button', { name: 'Dashboard' }).click();
  const dashboard = page.locator('.jp-GpuQuota-dashboard');
  await expect(dashboard).toContainText('1 borrowed');
  await page.sidebar.close();
  await shoot(page, 'dashboard');
  const slice = dashboard.getByRole('button', { name: /^big-train: / });
  await dashboard.getByRole('heading', { name: /^Nodes/ }).hover();
  await slice.first().focus();
  await shoot(page, 'dashboard-nodes');
});

test('administration', async ({ page, busy, request, baseURL }) => {
  const admin = new Administration(page);
  const api = `${baseURL}/gpuquota/api`;
  const groups = [{ name: 'big', nodes: ['dgx1-2'], separate: true }];
  await set(request, `${api}/groups`, { groups });
  await set(request, `${api}/rules`, { grace: '2m', consolidate: true });
  await busy.panel.getByRole('button', { name: 'Projects' }).click();
  await page.sidebar.close();
  await expect(admin.changes).toContainText('grace: 2m');
  await shoot(page, 'administration');
  await admin.row('team-b').getByRole('button').click();
  await admin.fill({ Quota: '3' });
  await admin.press('Preview');
  await expect(admin.effect).toContainText('next-train');
  await shoot(page, 'administration-try');
  await set(request, `${api}/groups`, { groups: [] });
  await set(request, `${api}/rules`, {});
});

test('narrow', async ({ page, busy }) => {
  await page.sidebar.setWidth(260);
  await busy.panel
    .getByRole('combobox', { name: 'Project' })
    .selectOption('team-b');
  await busy.panel.getByText('1 session queued – why?').click();
  await busy.panel.screenshot({ path: `${IMAGES}/narrow.png` });
});

/** Set the rules, or all node groups, as somebody else would. */
async function set(
  request: APIRequestContext,
  url: string,
  data: Record<string, unknown>
): Promise<void> {
  const { revision } = await (await request.get(url)).json();
  const answer = await request.put(url, { data: { ...data, revision } });
  expect(answer.status(), await answer.text()).toBe(200);
}
