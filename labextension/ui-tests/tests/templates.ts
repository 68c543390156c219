import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { Api, expect, LEAN, test as base } from './workspace';

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

  private _url(path: string): string {
    return `${this._api.base}/gpuquota/api/templates${path}`;
  }
}

/** Tests with templates. */
export const test = base.extend<{ templates: Templates }>({
  templates: async ({ request, api }, use) => {
    await use(new Templates(request, api));
  }
});

/** The request of a template whose sessions have kernels, and no page that is opened. */
export const SERVED = { environment: LEAN.environment, kind: 'interactive' };

/** A card of the Launcher's category. */
export const card = (page: Page, label: string): Locator =>
  page.locator('.jp-LauncherCard[data-category="GPU"]', { hasText: label });
