import { resolve } from 'path';
import { galata, IJupyterLabPageFixture } from '@jupyterlab/galata';
import { Section, Storage } from '../tests/storage';
import { expect, test as base } from '../tests/workspace';

const IMAGES = resolve(__dirname, '../../../docs/images');

/** A JupyterLab whose folder has a name that one may see. */
const test = base.extend({
  tmpPath: async ({ request }, use) => {
    const contents = galata.newContentsHelper(request);
    await contents.createDirectory('experiments');
    await use('experiments');
    await contents.deleteDirectory('experiments');
  }
});

const shoot = (page: IJupyterLabPageFixture, name: string) =>
  page.screenshot({ path: `${IMAGES}/${name}.png`, animations: 'disabled' });

test('volumes', async ({ page, workspace, api }) => {
  const volumes = new Section(page, workspace, 'Volumes');
  await page.addStyleTag({ content: '.Toastify { display: none }' });
  await volumes.open();
  await page.sidebar.setWidth(300);
  for (const name of ['scans', 'scratch']) {
    await page.getByRole('button', { name: 'New volume' }).click();
    await volumes.dialog.getByLabel('Name').fill(name);
    await volumes.dialog.getByLabel('Size').fill('10Gi');
    await volumes.press('Create');
    await expect(volumes.row(name)).toContainText('Not mounted');
  }
  await api.create({ name: 'exp-1', volumes: ['scratch:/scratch'] });
  await expect(volumes.row('scratch')).toContainText('Mounted by exp-1');
  await volumes.act('scratch', 'Launch a Session with It…');
  const { form } = workspace;
  await form.getByRole('button', { name: 'Mount a volume' }).click();
  await form.getByRole('combobox', { name: 'Volume 2' }).selectOption('scans');
  await form.getByLabel('Volume 2 read-only').check();
  await expect(workspace.verdict).toContainText('Starts now');
  await shoot(page, 'volumes');
});

test('snapshots', async ({ page, workspace, api, request }) => {
  const contents = galata.newContentsHelper(request);
  const storage = new Storage(request, api, contents, 'exp-1');
  await page.addStyleTag({ content: '.Toastify { display: none }' });
  const id = await storage.run('rate = 0.1\n');
  await storage.write('notes.md', '# Notes\n');
  const tags = ['baseline'];
  await storage.take(id, 'first try', { metrics: { loss: 0.42 }, tags });
  await storage.write('train.py', 'rate = 0.01\n');
  await storage.take(id, 'smaller learning rate', { metrics: { loss: 0.31 } });
  const snapshots = new Section(page, workspace, 'Snapshots');
  await snapshots.open();
  await page.sidebar.setWidth(300);
  await expect(snapshots.row('smaller.*, complete')).toBeVisible();
  await snapshots.row('first try').focus();
  await page.keyboard.press('Enter');
  const view = page.locator('.jp-GpuQuota-snapshot');
  await expect(view.getByRole('row', { name: /^Files stored/ })).toBeVisible();
  await shoot(page, 'snapshots');
  await snapshots.act('smaller', 'Compare with…');
  await snapshots.press('Ok');
  await expect(view.getByRole('row', { name: /^loss/ })).toBeVisible();
  await shoot(page, 'snapshots-compare');
  await snapshots.act('first try', 'Restore…');
  await expect(snapshots.dialog).toContainText('What will be made');
  // Where this machine keeps things is no part of a picture.
  await snapshots.dialog.evaluate(dialog => {
    const walker = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      node.nodeValue = (node.nodeValue ?? '').replace(/^\/\S*\//, '/home/ana/');
    }
    dialog.querySelectorAll('input').forEach(input => {
      input.placeholder = input.placeholder.replace(/^\/\S*\//, '/home/ana/');
    });
  });
  await shoot(page, 'snapshots-restore');
});
