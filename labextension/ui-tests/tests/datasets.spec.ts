import AxeBuilder from '@axe-core/playwright';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { galata } from '@jupyterlab/galata';
import { Datasets } from './datasets';
import { expect, test as base, Workspace } from './workspace';

/** A dataset with two versions, in a panel whose section on datasets is open. */
const test = base.extend<{ data: Datasets }>({
  data: async ({ page, request, baseURL, workspace }, use) => {
    const contents = galata.newContentsHelper(request);
    const data = new Datasets(page, request, baseURL ?? '', contents);
    await data.make();
    await openSection(page, workspace, data);
    await use(data);
    await data.remove();
  }
});

async function openSection(
  page: IJupyterLabPageFixture,
  workspace: Workspace,
  data: Datasets
): Promise<void> {
  await workspace.open();
  const title = workspace.panel.locator('.jp-AccordionPanel-title', {
    hasText: 'Datasets'
  });
  if ((await title.getAttribute('aria-expanded')) !== 'true') {
    await title.click();
  }
  await data.row(data.name).locator('.jp-GpuQuota-treeHead').click();
  await expect(data.row('second')).toContainText('not here');
}

test('@live a version is cached, pinned and cleared in the panel', async ({
  data
}) => {
  const row = data.row('second');
  await data.act('second', 'Cache');
  await expect(row.locator('.jp-GpuQuota-copy')).toHaveText('cached');
  await data.act('second', 'Pin…');
  await data.page.getByLabel('Why').fill('demo');
  await data.page.getByRole('button', { name: 'Pin', exact: true }).click();
  await expect(row).toContainText('pinned');
  await data.act('second', 'Unpin');
  await expect(row).not.toContainText('pinned');
  await data.act('second', 'Clear from Cache');
  await expect(row).toContainText('not here');
});

test('@live files are browsed by keyboard, previewed as text and back after a reload', async ({
  page,
  data
}) => {
  await data.row('second').focus();
  await page.keyboard.press('Enter');
  const files = page.getByRole('grid', { name: 'Files' });
  await files.getByRole('row', { name: /^labels.csv/ }).click();
  const preview = page.getByRole('region', { name: /labels.csv/ });
  await expect(preview.getByRole('cell', { name: 'seven' })).toBeVisible();
  await files.getByRole('row', { name: /^page.html/ }).click();
  const html = page.getByRole('region', { name: /page.html/ });
  await expect(html).toContainText('<script>');
  await expect(html.locator('script')).toHaveCount(0);

  const download = page.waitForEvent('download');
  await html.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('page.html');

  await files.getByRole('row', { name: /^train/ }).focus();
  await page.keyboard.press('Enter');
  await expect(files.getByRole('row', { name: /^001.txt/ })).toBeVisible();
  await page.waitForTimeout(1500); // the layout is saved a moment later
  await page.reload({ waitForIsReady: false });
  await expect(files.getByRole('row', { name: /^001.txt/ })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Folder' })).toContainText(
    'train'
  );
});

test('@live two versions are compared', async ({ page, data }) => {
  await data.act('first', 'Compare with…');
  await page.getByRole('dialog').getByRole('button', { name: 'Ok' }).click();
  const differences = page.getByRole('grid', { name: 'Differences' });
  await expect(
    differences.getByRole('row', { name: /^Added: train\/002.txt/ })
  ).toBeVisible();
  await page.getByRole('button', { name: 'Changed 1' }).click();
  await expect(differences.getByRole('row')).toHaveCount(1);
  await expect(differences).toContainText('labels.csv');
});

test('@live a launch says whether its data is cached', async ({
  page,
  data,
  workspace
}) => {
  await data.act('second', 'Launch a Session with It…');
  const { form } = workspace;
  await expect(form.getByLabel('Data', { exact: true })).toHaveValue(/@/);
  await expect(form.getByText(/will be fetched first/).first()).toBeVisible();
  await form.getByLabel('Data', { exact: true }).fill(`${data.name}@nothing`);
  await expect(form.locator('.jp-GpuQuota-problems')).toContainText('nothing');
  await page.keyboard.press('Escape');
});

for (const theme of [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
]) {
  test(`@live datasets can be used by everyone: ${theme}`, async ({
    page,
    data
  }) => {
    await page.theme.setTheme(theme);
    await page.sidebar.setWidth(260);
    await data.row('second').focus();
    await page.keyboard.press('Enter');
    const files = page.getByRole('grid', { name: 'Files' });
    await files.getByRole('row', { name: /^labels.csv/ }).click();
    await page.getByRole('cell', { name: 'seven' }).waitFor();
    const { violations } = await new AxeBuilder({ page })
      .include('.jp-GpuQuota-datasetsSection')
      .include('.jp-GpuQuota-browser')
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze();
    expect(
      violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join('\n')}`
      )
    ).toEqual([]);
  });
}
