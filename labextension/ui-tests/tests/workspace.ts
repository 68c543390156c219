import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { expect, JupyterLabPage, test as base } from '@jupyterlab/galata';
import type { APIRequestContext, Locator } from '@playwright/test';

export const PANEL = 'jupyter-gpuquota:panel';

/** Milliseconds for JupyterLab to start: Galata allows 15 seconds, and its fixtures no other time. */
const START = 120_000;
const { waitForCondition } = JupyterLabPage.prototype;
JupyterLabPage.prototype.waitForCondition = function (
  condition,
  timeout = START
) {
  return waitForCondition.call(this, condition, timeout);
};

interface ISession {
  id: string;
  state: string;
  spec: { name: string };
  ending: { saved: string } | null;
}

/** A program that runs until it is stopped, and says something first. */
export const SLEEP = [
  'python3',
  '-u',
  '-c',
  'import time; print("ready"); time.sleep(3600)'
];

/** Speak to the REST interface as another client of the same user would. */
export class Api {
  constructor(
    private _request: APIRequestContext,
    readonly base: string
  ) {}

  async create(request: Record<string, unknown>): Promise<ISession> {
    const answer = await this._request.post(this._url('sessions'), {
      data: { project: 'team-a', gpu: '0.5', command: SLEEP, ...request }
    });
    expect(answer.status(), await answer.text()).toBe(201);
    return answer.json();
  }

  async list(): Promise<ISession[]> {
    const answer = await this._request.get(this._url('sessions'));
    return (await answer.json()).items;
  }

  /** Wait until a session is in a state. */
  async reaches(name: string, state: string): Promise<void> {
    await expect
      .poll(
        async () =>
          (await this.list()).find(({ spec }) => spec.name === name)?.state,
        { timeout: 60_000 }
      )
      .toBe(state);
  }

  /** Return the names of the nodes. */
  async nodes(): Promise<string[]> {
    const answer = await this._request.get(this._url('nodes'));
    const { nodes } = await answer.json();
    return nodes.map(({ name }: { name: string }) => name);
  }

  async stop(name: string): Promise<void> {
    const session = (await this.list()).find(({ spec }) => spec.name === name);
    const answer = await this._request.post(
      this._url(`sessions/${session?.id}/stop`)
    );
    expect(answer.status(), await answer.text()).toBe(200);
  }

  /** Set the rules of everyone for idle sessions, and nothing else. */
  async setPolicy(rules: Record<string, unknown>): Promise<void> {
    const { revision } = await (
      await this._request.get(this._url('policy'))
    ).json();
    const levels = [{ level: 'everyone', rules }];
    const answer = await this._request.put(this._url('policy'), {
      data: { revision, levels, exemptions: [] }
    });
    expect(answer.status(), await answer.text()).toBe(200);
  }

  /** Stop and delete everything, so that the next test finds all GPUs free. */
  async clear(): Promise<void> {
    await expect
      .poll(
        async () => {
          const sessions = await this.list();
          for (const { id, state } of sessions) {
            await (['starting', 'running', 'stopping'].includes(state)
              ? this._request.post(this._url(`sessions/${id}/stop`))
              : this._request.delete(this._url(`sessions/${id}`)));
          }
          return sessions.length;
        },
        { timeout: 90_000 }
      )
      .toBe(0);
  }

  private _url(path: string): string {
    return `${this.base}/gpuquota/api/${path}`;
  }
}

/** The panel as a test sees it. */
export class Workspace {
  constructor(
    readonly page: IJupyterLabPageFixture,
    readonly api: Api
  ) {}

  readonly panel = this.page.locator('.jp-GpuQuota-sidebar');
  readonly form = this.page.locator('.jp-GpuQuota-form');
  /** The line of the form that says what would happen. */
  readonly verdict = this.form.locator('.jp-GpuQuota-verdict');

  async open(): Promise<void> {
    await this.page.sidebar.openTab(PANEL);
    await this.panel.waitFor();
  }

  row(name: string): Locator {
    return this.panel.locator('[data-row]', {
      has: this.page.locator('.jp-GpuQuota-name', {
        hasText: new RegExp(`^${name}$`)
      })
    });
  }

  /** Choose an action from a session's menu. */
  async act(name: string, action: string): Promise<void> {
    await this.row(name).getByRole('button', { name: 'More actions' }).click();
    await this.page
      .getByRole('menu')
      .getByRole('menuitem', { name: action })
      .click();
  }

  async openForm(): Promise<void> {
    await this.panel.getByRole('button', { name: 'Launch' }).first().click();
    await this.form.waitFor();
  }

  notice(text: string | RegExp): Locator {
    return this.page.locator('.Toastify__toast', { hasText: text });
  }
}

interface IFixtures {
  /** The addresses of the JupyterLabs, one for each worker. */
  servers: string[];
  api: Api;
  workspace: Workspace;
}

export const test = base.extend<IFixtures>({
  servers: [[], { option: true }],
  baseURL: async ({ servers }, use, { parallelIndex }) => {
    await use(servers[parallelIndex]);
  },
  // Galata would take our list of sessions for Jupyter's own, since both paths end alike.
  // eslint-disable-next-line no-empty-pattern -- Playwright wants the pattern, even an empty one
  sessions: async ({}, use) => {
    await use(null);
  },
  api: async ({ request, baseURL }, use) => {
    const api = new Api(request, baseURL ?? '');
    await api.clear();
    await use(api);
    await api.clear();
  },
  workspace: async ({ page, api }, use) => {
    await use(new Workspace(page, api));
  }
});

export { expect };
