import { galata } from '@jupyterlab/galata';
import type { Locator, Page } from '@playwright/test';
import { NOTEBOOK } from './notebook';
import { Storage } from './storage';
import { expect, test } from './workspace';

/** The page of a session with a notebook in it. */
class Inside {
  constructor(readonly page: Page) {}

  readonly editor: Locator = this.page
    .locator('.jp-Notebook .cm-content')
    .first();
  readonly dirty: Locator = this.page.locator('.jp-mod-dirty').first();
  readonly dialog: Locator = this.page.locator('.jp-Dialog');

  notice(text: RegExp): Locator {
    return this.page.locator('.Toastify__toast', { hasText: text });
  }

  async open(address: string): Promise<void> {
    await this.page.goto(address);
    // What its kernel says of itself changes the notebook, too: that has to come before.
    await expect(
      this.page.locator(
        '.jp-Notebook-ExecutionIndicator[data-status="idle"]:visible'
      )
    ).toBeVisible();
  }

  /** Type over what the first cell has, and do not save it. */
  async type(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.type(text);
    await expect(this.dirty).toBeVisible();
  }
}

test.describe('what is typed and not saved @live', () => {
  let inside: Inside;
  let file: string;

  test.beforeEach(async ({ page, request, baseURL, tmpPath }) => {
    file = `${baseURL}/api/contents/${tmpPath}/notes.ipynb`;
    await request.put(file, {
      data: { type: 'notebook', format: 'json', content: NOTEBOOK }
    });
    inside = new Inside(await page.context().newPage());
  });

  test('is on disk before a snapshot is taken', async ({
    api,
    request,
    baseURL,
    tmpPath
  }) => {
    const contents = galata.newContentsHelper(request);
    const storage = new Storage(request, api, contents);
    const { id } = await api.create({
      name: 'exp-1',
      command: [],
      folder: tmpPath
    });
    await api.reaches('exp-1', 'running');
    await inside.open(`${baseURL}/gpuquota/s/${id}/lab/tree/notes.ipynb`);
    await inside.type('typed');
    await storage.take(id, 'with what was typed');
    const { content } = await (await request.get(file)).json();
    expect(content.cells[0].source).toBe('typed');
  });

  test('is on disk when the session is suspended, and comes back with it', async ({
    api,
    request,
    baseURL,
    tmpPath
  }) => {
    const { id } = await api.create({
      name: 'exp-1',
      command: [],
      folder: tmpPath
    });
    await api.reaches('exp-1', 'running');
    const source = async () =>
      (await (await request.get(file)).json()).content.cells[0].source;
    await inside.open(`${baseURL}/gpuquota/s/${id}/lab/tree/notes.ipynb`);
    await inside.type('typed');
    await request.post(`${baseURL}/gpuquota/api/sessions/${id}/suspend`);
    await expect(inside.dialog).toContainText('exp-1 was suspended');
    await expect(inside.dialog).toContainText('Your documents were saved');
    await expect(inside.dialog).toHaveCount(1);
    await api.reaches('exp-1', 'suspended');
    expect(await source()).toBe('typed');
    const [ended] = await api.list();
    expect(ended.ending?.saved).toBe('saved'); // the page was heard in time

    await inside.dialog.getByRole('button', { name: 'Stay here' }).click();
    await inside.type('later');
    const reloaded = inside.page.waitForEvent('load');
    await inside
      .notice(/^exp-1 is not running/)
      .getByRole('button', { name: 'Resume' })
      .click();
    await expect(inside.notice(/^exp-1 is resuming/)).toBeVisible();
    await reloaded;
    await expect(inside.editor).toContainText('later');
    await expect(inside.page.locator('.jp-mod-dirty')).toHaveCount(0);
    expect(await source()).toBe('later');

    await request.post(`${baseURL}/gpuquota/api/sessions/${id}/stop`);
    await expect(inside.dialog).toContainText('exp-1 was stopped');
    const again = inside.page.waitForEvent('load');
    await inside.dialog.getByRole('button', { name: 'Resume' }).click();
    await again;
    await expect(inside.editor).toContainText('later');
  });

  test('is saved while GPUs are taken back, and the page counts down', async ({
    api,
    request,
    baseURL,
    tmpPath
  }) => {
    const fields = { project: 'team-c', gpu: '8' };
    await api.create({ name: 'older', kind: 'train', ...fields });
    await api.reaches('older', 'running');
    const { id } = await api.create({
      name: 'spot',
      kind: 'interactive-spot',
      command: [],
      folder: tmpPath,
      ...fields
    });
    await api.reaches('spot', 'running');
    await inside.open(`${baseURL}/gpuquota/s/${id}/lab/tree/notes.ipynb`);
    await inside.type('typed');
    await api.create({ name: 'taker', project: 'team-d', gpu: '8' });
    const notice = inside.notice(
      /^team-d reclaims these GPUs in \d+ s – your notebooks are saved/
    );
    await expect(notice).toBeVisible();
    await expect(inside.page.locator('.jp-mod-dirty')).toHaveCount(0);
    await expect(inside.dialog).toHaveCount(0);
    await api.reaches('spot', 'stopping'); // it goes on until then
    await inside.type('in time');
    await notice.getByRole('button', { name: 'Release now' }).click();
    await expect(inside.dialog).toContainText(
      'The GPUs of spot were reclaimed'
    );
    await api.reaches('taker', 'running');
    const found = await (await request.get(file)).json();
    expect(found.content.cells[0].source).toBe('in time');

    const reloaded = inside.page.waitForEvent('load');
    await api.stop('taker');
    await reloaded;
    await expect(inside.editor).toContainText('in time');
  });
});
