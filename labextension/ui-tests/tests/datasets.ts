import type { galata, IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { APIRequestContext, Locator } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Workspace } from './workspace';

type Contents = ReturnType<typeof galata.newContentsHelper>;

/** A dataset with two versions, and the panel's section that shows it. */
export class Datasets {
  constructor(
    readonly page: IJupyterLabPageFixture,
    private _request: APIRequestContext,
    private _base: string,
    private _contents: Contents,
    readonly name = `digits-${Math.random().toString(36).slice(2, 8)}`
  ) {}

  /** Make the dataset from a folder of the server, as another client of the user would. */
  async make(): Promise<void> {
    await this._post('datasets', { name: this.name, project: 'team-a' });
    await this._write('labels.csv', 'id,label\n1,one\n');
    await this._write('page.html', '<script>alert(1)</script>');
    await this._write('train/001.txt', 'one');
    await this._sync('first');
    await this._write('labels.csv', 'id,label\n1,one\n7,seven\n');
    await this._write('train/002.txt', 'two');
    await this._sync('second');
  }

  /** The row of the dataset, or of the version with a message. */
  row(text: string): Locator {
    return this.page
      .locator('.jp-GpuQuota-datasetsSection [data-row]', { hasText: text })
      .first();
  }

  /** Choose an action from a version's menu. */
  async act(version: string, action: string): Promise<void> {
    const row = this.row(version);
    await row.getByRole('button', { name: 'More actions' }).click();
    await this.page
      .getByRole('menu')
      .getByRole('menuitem', { name: action, exact: true })
      .click();
  }

  private async _write(path: string, text: string): Promise<void> {
    await this._contents.uploadContent(text, 'text', `${this.name}/${path}`);
  }

  private async _sync(message: string): Promise<void> {
    const body = {
      kind: 'sync',
      dataset: this.name,
      folder: this.name,
      message
    };
    const { id } = await this._post('jobs', body);
    await expect
      .poll(
        async () => {
          const answer = await this._request.get(this._url(`jobs/${id}`));
          const { problem, state } = await answer.json();
          return problem?.message ?? state;
        },
        { timeout: 120_000 }
      )
      .toBe('done');
  }

  private async _post(path: string, data: object): Promise<{ id: string }> {
    const answer = await this._request.post(this._url(path), { data });
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.json();
  }

  private _url(path: string): string {
    return `${this._base}/gpuquota/api/${path}`;
  }
}

/** Show a dataset's versions in the panel. */
export async function openSection(
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
  // By keyboard: in a low section a click scrolls the row below the heading, again and again.
  await data.row(data.name).press('ArrowRight');
  await expect(data.row('second')).toContainText('not here');
}
