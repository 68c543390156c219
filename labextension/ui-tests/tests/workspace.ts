import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { expect, galata, test as base } from '@jupyterlab/galata';
import type { APIRequestContext, Locator } from '@playwright/test';
import { PANEL, SharedPage } from './page';
import { restore } from './restoring';

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

/** What a session needs to serve Jupyter without JupyterLab, which nobody opens: it starts sooner. */
export const LEAN = { command: [], environment: 'lean' };

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
  /** Whether JupyterLab is loaded anew; else a page that was used is put back as it was. */
  fresh: boolean;
  /** Whether what tests have made may be removed: nobody else uses the server. */
  isOwn: boolean;
  api: Api;
  workspace: Workspace;
}

interface IWorkerFixtures {
  /** The addresses of the JupyterLabs, one for each worker. */
  servers: string[];
  shared: SharedPage;
}

/** Tests on the page of their worker; each begins with an idle server and a page as if just loaded. */
export const test = base.extend<IFixtures, IWorkerFixtures>({
  servers: [[], { option: true, scope: 'worker' }],
  fresh: [false, { option: true }],
  isOwn: [true, { option: true }],
  shared: [
    async ({ browser, servers }, use, { parallelIndex }) => {
      const shared = await SharedPage.open(browser, servers[parallelIndex]);
      await use(shared);
      await shared.context.close();
    },
    { scope: 'worker', timeout: 180_000 }
  ],
  baseURL: async ({ servers }, use, { parallelIndex }) => {
    await use(servers[parallelIndex]);
  },
  api: [
    async ({ request, baseURL, isOwn }, use) => {
      const api = new Api(request, baseURL ?? '');
      await api.clear();
      if (isOwn) {
        await restore(request, `${baseURL}/gpuquota/api`);
      }
      await use(api);
    },
    { auto: true } // before the page is put back, which would show what becomes of sessions
  ],
  // A folder is as short-lived as its server: the page may show it until the next test begins.
  tmpPath: async ({ request }, use, { testId }) => {
    await galata.newContentsHelper(request).createDirectory(testId);
    await use(testId);
  },
  context: async ({ shared }, use) => {
    await use(shared.context);
  },
  page: async ({ fresh, shared, tmpPath, viewport }, use) => {
    await use(
      await shared.begin({ folder: tmpPath, isFresh: fresh, viewport })
    );
  },
  workspace: async ({ page, api }, use) => {
    await use(new Workspace(page, api));
  }
});

export { expect, PANEL };
