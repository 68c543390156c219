import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { Api, expect, test as base } from './workspace';

interface ITemplate {
  scope: string;
  name: string;
  request: Record<string, unknown>;
}

/** The templates of the user. */
export class Templates {
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

  async list(): Promise<ITemplate[]> {
    return (await (await this._request.get(this._url(''))).json()).items;
  }

  async clear(): Promise<void> {
    for (const { scope, name } of await this.list()) {
      await this._request.delete(this._url(`/${scope}/${name}`));
    }
  }

  private _url(path: string): string {
    return `${this._api.base}/gpuquota/api/templates${path}`;
  }
}

/** Tests that leave no templates behind. */
export const test = base.extend<{ templates: Templates }>({
  templates: async ({ request, api }, use) => {
    const templates = new Templates(request, api);
    await use(templates);
    await templates.clear();
  }
});

/** A card of the Launcher's category. */
export const card = (page: Page, label: string): Locator =>
  page.locator('.jp-LauncherCard[data-category="GPU"]', { hasText: label });
