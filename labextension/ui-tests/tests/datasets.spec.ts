import { galata } from '@jupyterlab/galata';
import { expectAccessible, inThemes, setTheme } from './accessible';
import { Datasets, openSection } from './datasets';
import { expect, test as base } from './workspace';

/** A dataset with two versions, in a panel whose section on datasets is open. */
const test = base.extend<{ data: Datasets }>({
  data: async ({ page, request, baseURL, workspace }, use) => {
    const contents = galata.newContentsHelper(request);
    const data = new Datasets(page, request, baseURL ?? '', contents);
    await data.make();
    await openSection(workspace, data);
    await use(data);
  }
});

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

for (const [theme, title] of inThemes(
  'files are browsed by keyboard, previewed as text and compared'
)) {
  test(`@live ${title}`, async ({ page, data }) => {
    await setTheme(page, theme);
    await page.sidebar.setWidth(260);
    await data.row('second').focus();
    await page.keyboard.press('Enter');
    const files = page.getByRole('grid', { name: 'Files' });
    await files.getByRole('row', { name: /^page.html/ }).click();
    const html = page.getByRole('region', { name: /page.html/ });
    await expect(html).toContainText('<script>');
    await expect(html.locator('script')).toHaveCount(0);
    const download = page.waitForEvent('download');
    await html.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('page.html');

    await files.getByRole('row', { name: /^labels.csv/ }).click();
    const preview = page.getByRole('region', { name: /labels.csv/ });
    await expect(preview.getByRole('cell', { name: 'seven' })).toBeVisible();
    await expectAccessible(page, [
      '.jp-GpuQuota-datasetsSection',
      '.jp-GpuQuota-browser'
    ]);

    await files.getByRole('row', { name: /^train/ }).focus();
    await page.keyboard.press('Enter');
    await expect(files.getByRole('row', { name: /^001.txt/ })).toBeVisible();
    const folder = page.getByRole('navigation', { name: 'Folder' });
    await expect(folder).toContainText('train');

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
}
