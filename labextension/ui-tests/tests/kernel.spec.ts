import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { expectAccessible } from './storage';
import { Api, expect, test as base } from './workspace';

/** The templates of the user. */
class Templates {
  constructor(
    private _request: APIRequestContext,
    private _api: Api
  ) {}

  async save(title: string, data: object): Promise<void> {
    const answer = await this._request.put(
      this._url(`/own/${title.toLowerCase()}`),
      { data: { title, ...data } }
    );
    expect(answer.ok(), await answer.text()).toBe(true);
  }

  async clear(): Promise<void> {
    const { items } = await (await this._request.get(this._url(''))).json();
    for (const { scope, name } of items) {
      await this._request.delete(this._url(`/${scope}/${name}`));
    }
  }

  private _url(path: string): string {
    return `${this._api.base}/gpuquota/api/templates${path}`;
  }
}

const test = base.extend<{ templates: Templates }>({
  templates: async ({ request, api }, use) => {
    const templates = new Templates(request, api);
    await use(templates);
    await templates.clear();
  }
});

const card = (page: Page, label: string): Locator =>
  page.locator('.jp-LauncherCard[data-category="GPU"]', { hasText: label });
const item = (page: Page): Locator =>
  page.locator('.jp-GpuQuota-kernelItem button');
const output = (page: Page): Locator =>
  page.locator('.jp-OutputArea-output').last();

test('a card of the Launcher opens a notebook on a new session, which ends with it @live', async ({
  page,
  api,
  templates,
  tmpPath
}) => {
  await templates.save('Small', {
    on_shutdown: 'suspend',
    request: { project: 'team-a', gpu: '0.25', kind: 'interactive' }
  });
  await card(page, 'Small').click();
  await expect(item(page)).toContainText('GPU');
  const code = 'import os; print(os.environ["GPUQUOTA_SHARE"], os.getcwd())';
  await page.notebook.setCell(0, 'code', code);
  await page.notebook.runCell(0, true);
  await expect(output(page)).toContainText('0.25 GPU', { timeout: 90_000 });
  await expect(output(page)).toContainText(tmpPath);
  const [{ spec }] = await api.list();
  await expect(item(page)).toHaveAccessibleName(
    `¼ GPU, simulated, Kernel in ${spec.name}`
  );

  await item(page).click();
  await page.getByRole('menuitem', { name: 'Use a Larger Share…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('GPU share')).toHaveValue('500');
  await expect(dialog).toContainText('kernel memory is lost');
  await expectAccessible(page, '.jp-Dialog', '.jp-GpuQuota-kernelItem');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.notebook.save();
  await page.notebook.close();
  await api.reaches(spec.name, 'suspended');
});

test('a cell waits for its session, and says why @live', async ({
  page,
  api,
  templates
}) => {
  await api.create({ name: 'before', project: 'team-c', gpu: '2' });
  await api.reaches('before', 'running');
  await templates.save('Queued', {
    request: { project: 'team-c', gpu: '1', kind: 'interactive' }
  });
  await card(page, 'Queued').click();
  await expect(item(page)).toContainText('Queued (#1)');
  await page.notebook.setCell(0, 'code', 'print(6 * 7)');
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('notebook:run-cell');
  });
  await expect(output(page)).toContainText('is queued: ');
  await expect(output(page)).toContainText('position 1');
  await expectAccessible(page, '.jp-GpuQuota-kernelItem', '.jp-OutputArea');

  await api.stop('before');
  await expect(output(page)).toHaveText(/^\s*42\s*$/, { timeout: 90_000 });
  await page.notebook.save();
  await page.notebook.close();
});
