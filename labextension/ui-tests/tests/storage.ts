import type { galata, IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { APIRequestContext, Locator } from '@playwright/test';
import { expect } from '@playwright/test';
import { Api, Workspace } from './workspace';

type Contents = ReturnType<typeof galata.newContentsHelper>;

/** A section of the panel on volumes or snapshots, and the dialogs that it opens. */
export class Section {
  constructor(
    readonly page: IJupyterLabPageFixture,
    private _workspace: Workspace,
    private _title: string
  ) {}

  readonly dialog = this.page.getByRole('dialog');
  readonly menu = this.page.getByRole('menu');

  async open(): Promise<void> {
    await this._workspace.open();
    const title = this._workspace.panel.locator('.jp-AccordionPanel-title', {
      hasText: this._title
    });
    if ((await title.getAttribute('aria-expanded')) !== 'true') {
      await title.click();
    }
  }

  row(name: string): Locator {
    return this._workspace.panel
      .getByRole('grid', { name: this._title })
      .getByRole('row', { name: new RegExp(`^${name}`) });
  }

  /** Choose an action from the menu of a row. */
  async act(name: string, action: string): Promise<void> {
    await this.row(name)
      .getByRole('button', { name: /^More actions/ })
      .click();
    await this.menu
      .getByRole('menuitem', { name: action, exact: true })
      .click();
  }

  /** Press a button of the dialog. */
  async press(name: string): Promise<void> {
    await this.dialog.getByRole('button', { name, exact: true }).click();
  }
}

/** Speak to the REST interface on volumes and snapshots as another client of the user would. */
export class Storage {
  constructor(
    private _request: APIRequestContext,
    private _api: Api,
    private _contents: Contents,
    readonly name = `exp-${Math.random().toString(36).slice(2, 8)}`
  ) {}

  /** Have a session run in a folder of its own; `script` is its only file. */
  async run(script: string): Promise<string> {
    await this.write('train.py', script);
    const { id } = await this._api.create({
      name: this.name,
      folder: this.name
    });
    await this._api.reaches(this.name, 'running');
    return id;
  }

  async write(path: string, text: string): Promise<void> {
    await this._contents.uploadContent(text, 'text', `${this.name}/${path}`);
  }

  /** Whether there is a file in the folder of the server. */
  has(path: string): Promise<boolean> {
    return this._contents.fileExists(path);
  }

  /** Take a snapshot, and wait until it is complete. */
  async take(session: string, note: string, more: object = {}): Promise<void> {
    const url = this._url(`sessions/${session}/snapshots`);
    const answer = await this._request.post(url, { data: { note, ...more } });
    expect(answer.ok(), await answer.text()).toBe(true);
    await expect
      .poll(
        async () => {
          const items = await this._list('snapshots');
          const made = items.find(each => each.note === note);
          return made?.problem ?? made?.state;
        },
        { timeout: 120_000 }
      )
      .toBe('ready');
  }

  private async _list(
    what: string
  ): Promise<{ id: string; note: string; state: string; problem: unknown }[]> {
    return (await (await this._request.get(this._url(what))).json()).items;
  }

  private _url(path: string): string {
    return `${this._api.base}/gpuquota/api/${path}`;
  }
}
