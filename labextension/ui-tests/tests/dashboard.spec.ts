import { readFile } from 'fs/promises';
import AxeBuilder from '@axe-core/playwright';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { expect, test } from './workspace';

const COMMAND = 'gpuquota:open-dashboard';

/** The dashboard as a test sees it. */
class Dashboard {
  constructor(readonly page: IJupyterLabPageFixture) {}

  readonly whole = this.page.locator('.jp-GpuQuota-dashboard');
  readonly running = this.whole.getByRole('table', { name: 'Running' });
  readonly waiting = this.whole.getByRole('table', { name: 'Queued' });

  names(table: typeof this.running): Promise<string[]> {
    return table.getByRole('rowheader').allInnerTexts();
  }

  async save(title: string): Promise<string> {
    const download = this.page.waitForEvent('download');
    await this.whole
      .getByRole('button', { name: `Download as CSV: ${title}` })
      .click();
    return readFile(await (await download).path(), 'utf-8');
  }

  /** Return what is wrong with it, by WCAG 2.2 A and AA. */
  async problems(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page })
      .include('.jp-GpuQuota-dashboard')
      .withTags([
        'wcag2a',
        'wcag2aa',
        'wcag21a',
        'wcag21aa',
        'wcag22aa',
        'best-practice'
      ])
      .analyze();
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join('\n')}`
    );
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

test('the dashboard shows who holds, borrows and waits', async ({
  page,
  workspace
}) => {
  const dashboard = new Dashboard(page);
  await workspace.open();
  await workspace.panel.getByRole('button', { name: 'Dashboard' }).click();
  const { whole, running, waiting } = dashboard;
  await expect(whole.getByRole('img', { name: /^team-c/ })).toHaveAttribute(
    'aria-label',
    /2 of 2 GPUs in quota, 1 borrowed/
  );
  await expect(whole.getByRole('img', { name: /^team-b/ })).toHaveAttribute(
    'aria-label',
    /2 of 2 GPUs in quota, 1 requested/
  );
  await expect(whole.locator('.jp-GpuQuota-totals')).toContainText('5.75');
  await expect(whole.locator('.jp-GpuQuota-totals')).toContainText('simulated');
  await expect(whole.getByText('simulated', { exact: true })).toHaveCount(1);
  await expect(waiting).toContainText('#1');
  await expect(whole.getByText(/^1 waits for team-b's quota$/)).toBeVisible();
  await expect(running.getByText('1 GPU borrowed')).toHaveCount(1);

  const all = ['borrower', 'exp-2', 'exp-10', 'holder'];
  expect(await dashboard.names(running)).toEqual(all);
  await running.getByRole('button', { name: 'Name' }).click();
  expect(await dashboard.names(running)).toEqual([...all].reverse());
  await expect(
    running.getByRole('columnheader', { name: 'Name' })
  ).toHaveAttribute('aria-sort', 'descending');
  await whole.getByLabel('Filter: Running sessions').fill('exp');
  expect(await dashboard.names(running)).toEqual(['exp-10', 'exp-2']);

  const csv = await dashboard.save('Queued sessions');
  expect(csv).toContain('\r\nwaiter,team-b,');
  expect((await dashboard.save('Nodes')).split('\r\n').length).toBeGreaterThan(
    16
  );
});

test('a slice names its session to pointer and keyboard, and leads to it', async ({
  page
}) => {
  const { whole } = new Dashboard(page);
  await page.evaluate(id => window.jupyterapp.commands.execute(id), COMMAND);
  const slice = page.getByRole('button', { name: /^exp-2: 0.5 GPU/ });
  const device = whole.getByRole('group').filter({ has: slice });
  await slice.focus();
  await expect(device.locator('.jp-GpuQuota-deviceText')).toContainText(
    'exp-2: 0.5 GPU'
  );
  await slice.blur();
  await expect(device.locator('.jp-GpuQuota-deviceText')).toContainText('free');
  await slice.hover();
  await expect(device.locator('.jp-GpuQuota-deviceText')).toContainText(
    'exp-2: 0.5 GPU'
  );
  await page.keyboard.press('Escape');
  await slice.focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.jp-GpuQuota-details')).toContainText('exp-2');
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

test('there is one dashboard, and it is back after a reload', async ({
  page
}) => {
  const { whole } = new Dashboard(page);
  const open = () =>
    page.evaluate(id => window.jupyterapp.commands.execute(id), COMMAND);
  await open();
  await open();
  await expect(whole).toHaveCount(1);
  await page.waitForTimeout(1500); // the layout is saved a moment later
  await page.reload({ waitForIsReady: false });
  await expect(whole.getByText('waiter')).toBeVisible();
  await open();
  await expect(whole).toHaveCount(1);
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

for (const theme of [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
]) {
  test(`the dashboard can be used by everyone: ${theme}`, async ({ page }) => {
    const dashboard = new Dashboard(page);
    await page.theme.setTheme(theme);
    await page.evaluate(id => window.jupyterapp.commands.execute(id), COMMAND);
    await dashboard.whole.getByText('waiter').waitFor();
    await dashboard.whole.getByRole('button', { name: /^exp-2: / }).waitFor();
    expect(await dashboard.problems()).toEqual([]);
  });
}
