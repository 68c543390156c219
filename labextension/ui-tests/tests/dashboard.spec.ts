import { readFile } from 'fs/promises';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { BEST, expectAccessible, inThemes, setTheme } from './accessible';
import { expect, test } from './workspace';

const COMMAND = 'gpuquota:open-dashboard';

/** The dashboard as a test sees it. */
class Dashboard {
  constructor(readonly page: IJupyterLabPageFixture) {}

  readonly whole = this.page.locator('.jp-GpuQuota-dashboard');

  async save(title: string): Promise<string> {
    const download = this.page.waitForEvent('download');
    await this.whole
      .getByRole('button', { name: `Download as CSV: ${title}` })
      .click();
    return readFile(await (await download).path(), 'utf-8');
  }
}

test.beforeEach(async ({ api }) => {
  await api.create({ name: 'exp-10', gpu: '0.25' });
  await api.create({ name: 'exp-2', gpu: '0.5' });
  await api.create({ name: 'holder', project: 'team-b', gpu: '2' });
  await api.create({
    name: 'borrower',
    project: 'team-c',
    gpu: '3',
    kind: 'train'
  });
  await api.create({ name: 'waiter', project: 'team-b', gpu: '1' });
  for (const name of ['exp-10', 'exp-2', 'holder', 'borrower']) {
    await api.reaches(name, 'running');
  }
});

test('projects have colours of their own, numbers a common edge, badges one size', async ({
  page,
  workspace,
  api
}) => {
  for (const name of ['tenth-1', 'tenth-2', 'tenth-3']) {
    await api.create({ name, gpu: '0.1' });
    await api.reaches(name, 'running');
  }
  const { whole } = new Dashboard(page);
  await page.evaluate(id => window.jupyterapp.commands.execute(id), COMMAND);
  const slice = (name: string) =>
    whole.getByRole('button', { name: new RegExp(`^${name}: `) });
  const style = (at: typeof whole, property: string) =>
    at.evaluate(
      (node, name) => getComputedStyle(node).getPropertyValue(name),
      property
    );
  const edge = 'border-left-color';
  const colours = await Promise.all(
    ['exp-2', 'holder', 'borrower'].map(name =>
      style(slice(name).first(), edge)
    )
  );
  const root = page.locator('body');
  const failed = await root.evaluate(node => {
    const probe = node.appendChild(document.createElement('i'));
    probe.style.color = 'var(--jp-error-color1)';
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
  expect(new Set([...colours, failed]).size).toBe(4);
  expect(await style(slice('exp-10'), edge)).toBe(colours[0]);

  // A slice shows its name, or nothing: a letter with dots says less.
  const narrow = slice('tenth-1').locator('span');
  expect(
    await narrow.evaluate(
      node => !node.clientWidth || node.scrollWidth <= node.clientWidth
    )
  ).toBe(true);

  const position = whole.getByRole('cell', { name: '#1', exact: true });
  expect(await style(position, 'text-align')).toBe('right');

  const badge = (at: typeof whole) =>
    at.getByText('simulated', { exact: true });
  const size = await style(badge(whole), 'font-size');
  await workspace.open();
  expect(await style(badge(workspace.panel).first(), 'font-size')).toBe(size);
  await slice('exp-2').click();
  const details = page.locator('.jp-GpuQuota-details');
  expect(await style(badge(details).first(), 'font-size')).toBe(size);
});

test('use over time is a chart of JupyterLab, a table and a file', async ({
  page
}) => {
  const dashboard = new Dashboard(page);
  const { whole } = dashboard;
  await page.evaluate(id => window.jupyterapp.commands.execute(id), COMMAND);
  const chart = whole.getByRole('img', { name: /^Chart of GPUs in use/ });
  const span = whole.getByLabel('Period');
  const mine = whole
    .getByRole('table', { name: 'GPU hours, by user' })
    .getByRole('row', { name: /^team-c / });
  // The first sample takes a while; another span has the chart read at once.
  await expect(async () => {
    await span.selectOption('24');
    await span.selectOption('6');
    await expect(chart).toBeVisible({ timeout: 3000 });
    await expect(mine).toBeVisible({ timeout: 3000 });
  }).toPass({ timeout: 120_000 });
  await expect(chart.locator('svg').first()).toBeVisible();
  await expect(chart).toContainText('team-c');
  await whole.getByText('Show as table / CSV: GPUs in use, by project').click();
  await expect(whole.getByRole('table', { name: 'GPUs in use' })).toContainText(
    'team-c'
  );
  expect(await dashboard.save('GPUs in use, by project')).toContain(',team-c,');
  expect(await dashboard.save('GPU hours, by user')).toContain('team-c,');
});

for (const [theme, title] of inThemes(
  'the dashboard can be used by everyone'
)) {
  test(title, async ({ page }) => {
    const { whole } = new Dashboard(page);
    await setTheme(page, theme);
    await page.evaluate(id => window.jupyterapp.commands.execute(id), COMMAND);
    await whole.getByText('waiter').waitFor();
    await whole.getByRole('button', { name: /^exp-2: / }).waitFor();
    await expectAccessible(page, ['.jp-GpuQuota-dashboard'], { tags: BEST });
  });
}
