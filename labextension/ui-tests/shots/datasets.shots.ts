import { resolve } from 'path';
import { galata } from '@jupyterlab/galata';
import { Datasets } from '../tests/datasets';
import { expect, test } from '../tests/workspace';

const IMAGES = resolve(__dirname, '../../../docs/images');

test('datasets', async ({ page, workspace, request, baseURL }) => {
  const contents = galata.newContentsHelper(request);
  const data = new Datasets(page, request, baseURL ?? '', contents, 'digits');
  await data.make();
  const shoot = (name: string) =>
    page.screenshot({ path: `${IMAGES}/${name}.png`, animations: 'disabled' });
  await page.addStyleTag({ content: '.Toastify { display: none }' });
  await workspace.open();
  await page.sidebar.setWidth(300);
  await workspace.panel
    .locator('.jp-AccordionPanel-title', { hasText: 'Datasets' })
    .click();
  await data.row('digits').locator('.jp-GpuQuota-treeHead').click();
  await data.act('first', 'Cache');
  await expect(data.row('first')).toContainText('cached');
  await data.row('second').focus();
  await page.keyboard.press('Enter');
  const files = page.getByRole('grid', { name: 'Files' });
  await files.getByRole('row', { name: /^labels.csv/ }).click();
  await page.getByRole('cell', { name: 'seven' }).waitFor();
  await shoot('datasets');
  await data.act('first', 'Compare with…');
  await page.getByRole('dialog').getByRole('button', { name: 'Ok' }).click();
  await page.getByRole('grid', { name: 'Differences' }).waitFor();
  await page.getByText('train/002.txt').waitFor();
  await shoot('datasets-compare');
});
