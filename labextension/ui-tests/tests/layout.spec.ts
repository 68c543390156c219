import { galata } from '@jupyterlab/galata';
import type { Locator, Page } from '@playwright/test';
import { Administration } from './administration';
import { Datasets, openSection } from './datasets';
import { expect, test } from './workspace';

/**
 * Look at a page that is drawn each second: after a reload on a busy machine Chromium may draw nothing,
 * and Lumino lays out what is drawn.
 */
async function whileDrawn(
  page: Page,
  look: () => Promise<void>
): Promise<void> {
  const draw = () => void page.screenshot().catch(() => undefined);
  const drawing = setInterval(draw, 1000);
  await look().finally(() => clearInterval(drawing));
}

test.describe('after a reload', () => {
  // What earlier tests did in a page, a reload may bring back: their notebooks, and their questions.
  test.use({ fresh: true });

  test('what was open is open again after a reload, and each view is there once @live', async ({
    page,
    workspace,
    api,
    request,
    baseURL
  }) => {
    const contents = galata.newContentsHelper(request);
    const data = new Datasets(page, request, baseURL ?? '', contents);
    await data.make();
    await api.create({ name: 'kept' });
    await workspace.open();
    await workspace.act('kept', 'Show Log');
    await expect(page.getByRole('log')).toContainText('ready');
    await workspace.act('kept', 'Show Details');
    await workspace.openForm();
    const openViews = () =>
      page.evaluate(async () => {
        const { commands } = window.jupyterapp;
        for (const view of ['dashboard', 'projects', 'dashboard', 'projects']) {
          await commands.execute(`gpuquota:open-${view}`);
        }
      });
    await openViews();
    await openSection(workspace, data);
    await data.row('second').focus();
    await page.keyboard.press('Enter');
    const files = page.getByRole('grid', { name: 'Files' });
    await files.getByRole('row', { name: /^train/ }).focus();
    await page.keyboard.press('Enter');
    await expect(files.getByRole('row', { name: /^001.txt/ })).toBeVisible();
    // A moment after each change the layout is saved; what is saved with the last one counts.
    const saved = page.waitForResponse(
      answer =>
        answer.url().includes('/api/workspaces') &&
        !!answer.request().postData()?.includes('"team":false')
    );
    await workspace.panel
      .locator('.jp-AccordionPanel-title', { hasText: 'Team' })
      .click();
    const gpus = workspace.panel.getByRole('meter', { name: /^GPUs used/ });
    await expect(gpus).toBeHidden();
    const tabs = page.locator('#jp-main-dock-panel .lm-TabBar-tabLabel');
    const all = await tabs.allInnerTexts();
    const before = all.filter(label => label !== 'Launcher'); // which JupyterLab leaves out
    await saved;
    await page.reload({ waitForIsReady: false });

    await page.bringToFront();
    await whileDrawn(page, async () => {
      await expect(tabs).toHaveText(before);
      await expect(tabs.filter({ hasText: 'kept log' })).toBeVisible();
      await expect(tabs.filter({ hasText: /^kept$/ })).toBeVisible();
      await expect(tabs.filter({ hasText: 'Launch a session' })).toBeVisible();
      await expect(workspace.panel).toBeVisible();
      await expect(workspace.row('kept')).toBeVisible();
      await expect(gpus).toBeHidden();
      await expect(files.getByRole('row', { name: /^001.txt/ })).toBeVisible();
      await expect(
        page.getByRole('navigation', { name: 'Folder' })
      ).toContainText('train');
      await openViews();
      await expect(tabs).toHaveText(before);
      await expect(page.locator('.jp-GpuQuota-administration')).toHaveCount(1);
      const dashboard = page.locator(
        '.jp-GpuQuota-dashboard:not(.jp-GpuQuota-administration)'
      );
      await expect(dashboard).toHaveCount(1);
      await expect(new Administration(page).row('team-a')).toBeVisible();
      await tabs.filter({ hasText: 'GPU Dashboard' }).click();
      await expect(
        dashboard.getByRole('rowheader', { name: 'kept' })
      ).toBeVisible();
    });
  });
});

test('in a narrow panel nothing is cut off or out of reach', async ({
  page,
  workspace,
  api
}) => {
  await api.create({
    name: 'a-name-that-is-much-too-long-for-a-narrow-panel',
    project: 'team-d',
    gpu_memory: '8Gi',
    gpu: '',
    gpu_compute: '30'
  });
  await api.create({ name: 'short', command: [] });
  await workspace.open();
  await page.sidebar.setWidth(260);
  await expect(workspace.row('short')).toContainText('Running', {
    timeout: 90_000
  });
  const team = page.locator('.jp-GpuQuota-teamSection');
  const content = team.locator('.jp-GpuQuota-team');
  const height = async (part: Locator) =>
    (await part.boundingBox())?.height ?? NaN;
  const fits = () =>
    expect
      .poll(async () => (await height(team)) - (await height(content)))
      .toBeCloseTo(0, 0);
  await fits(); // what is not needed is left to others
  const third = workspace.panel.locator('.jp-AccordionPanel-title', {
    hasText: 'Datasets'
  });
  await third.click();
  await expect(third).toHaveAttribute('aria-expanded', 'true');
  await fits(); // nor is it cut
  const panel = await workspace.panel.boundingBox();
  expect(panel?.width).toBeLessThanOrEqual(262);
  const right = (panel?.x ?? 0) + (panel?.width ?? 0);
  for (const button of await workspace.panel.getByRole('button').all()) {
    const box = await button.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(right);
  }
  const overflowing = await workspace.panel.evaluate(node =>
    [...node.querySelectorAll('.jp-GpuQuota, .jp-GpuQuota-list')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ className }) => className)
  );
  expect(overflowing).toEqual([]);
  const head = team.locator('.jp-GpuQuota-teamHead');
  const boxes = await Promise.all([
    head.getByRole('combobox').boundingBox(),
    ...(await head.getByRole('button').all()).map(each => each.boundingBox())
  ]);
  const middles = boxes.map(box => Math.round(box!.y + box!.height / 2));
  expect(Math.max(...middles) - Math.min(...middles)).toBeLessThanOrEqual(2);
});

test('in a low window, as at 200 % zoom, sessions stay in reach', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'one' });
  await api.create({ name: 'two' });
  await workspace.open();
  await expect(workspace.row('one')).toBeVisible();
  await page.setViewportSize({ width: 800, height: 400 });
  const list = workspace.panel.getByRole('grid', { name: 'Sessions' });
  await expect
    .poll(async () => (await list.boundingBox())?.height)
    .toBeGreaterThanOrEqual(62); // a row
  await workspace.row('two').focus();
  await expect(workspace.row('two')).toBeInViewport();
});

test('all entries of a menu are of one height, with icons on their line @live', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'one' });
  await workspace.open();
  await workspace
    .row('one')
    .getByRole('button', { name: 'More actions' })
    .click();
  const entries = page.getByRole('menu').locator('[data-type="command"]');
  await expect(entries.filter({ hasText: 'Stop…' })).toBeVisible();
  const found = await entries.evaluateAll(nodes =>
    nodes.map(node => {
      const icon = node.querySelector('.lm-Menu-itemIcon svg');
      const middle = (element: Element | null) => {
        const { height = 0, y = 0 } = element?.getBoundingClientRect() ?? {};
        return y + height / 2;
      };
      const { height } = node.getBoundingClientRect();
      return { height, off: icon ? middle(icon) - middle(node) : 0 };
    })
  );
  const visible = found.filter(({ height }) => height);
  expect(visible.length).toBeGreaterThan(4);
  expect(new Set(visible.map(({ height }) => height)).size).toBe(1);
  visible.forEach(({ off }) => expect(Math.abs(off)).toBeLessThanOrEqual(2));
});
