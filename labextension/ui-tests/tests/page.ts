import { expect, galata, JupyterLabPage } from '@jupyterlab/galata';
import type {
  IJupyterLabPage,
  IJupyterLabPageFixture
} from '@jupyterlab/galata';
import type {
  Browser,
  BrowserContext,
  Page,
  ViewportSize
} from '@playwright/test';

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

/** Wait for the application, as Galata's own fixture does. */
async function isReady(page: Page, lab: IJupyterLabPage): Promise<void> {
  await page.locator('#jupyterlab-splash').waitFor({ state: 'detached' });
  await lab.waitForCondition(() => lab.activity.isTabActive('Launcher'));
  await lab.activity.activateTab('Launcher');
}

type Settings = Parameters<typeof galata.Mock.mockSettings>[1];

/** What a test begins with. */
export interface IBeginning {
  /** The folder that the file browser shows. */
  folder: string;
  viewport: ViewportSize | null;
  /** Load JupyterLab anew: only that forgets which notices a page has shown, or styles of a test. */
  isFresh: boolean;
}

/**
 * The one page of a worker. To load JupyterLab takes ten times as long as to put it back as it was,
 * which is done before each test.
 */
export class SharedPage {
  static async open(browser: Browser, base: string): Promise<SharedPage> {
    const context = await browser.newContext({ acceptDownloads: true });
    const shared = new SharedPage(context, await context.newPage(), base);
    await shared.begin({ folder: '', viewport: null, isFresh: true });
    return shared;
  }

  private constructor(
    readonly context: BrowserContext,
    private _page: Page,
    base: string
  ) {
    this._lab = galata.addHelpersToPage(_page, base, isReady);
  }

  /** Return the page as it is after JupyterLab has been loaded. */
  async begin(beginning: IBeginning): Promise<IJupyterLabPageFixture> {
    const { folder, isFresh, viewport } = beginning;
    // What is answered for the server is written back by the page itself, unless that is loaded anew.
    this._settings = isFresh ? [] : this._settings;
    await this._resetBrowser(viewport);
    if (isFresh) {
      await this._lab.goto(folder ? `tree/${folder}?reset` : '?reset');
    } else {
      await resetInPage(this._page, folder);
      await isReady(this._page, this._lab);
    }
    return this._lab;
  }

  /** Close what else is open, and forget permissions, routes and what Galata answers for the server. */
  private async _resetBrowser(viewport: ViewportSize | null): Promise<void> {
    for (const other of this.context.pages()) {
      if (other !== this._page) {
        await other.close({ runBeforeUnload: false });
      }
    }
    // Chromium draws only the page in front, and Lumino works when something is drawn.
    await this._page.bringToFront();
    await this.context.clearPermissions();
    await this._page.unrouteAll({ behavior: 'ignoreErrors' });
    await this._page.setViewportSize(viewport ?? { width: 1280, height: 800 });
    await this._page.mouse.move(0, 0);
    const page = this._page;
    const state = { data: {}, metadata: { id: 'default' } };
    await galata.Mock.mockConfig(page, {});
    await galata.Mock.mockSettings(page, this._settings, {
      ...galata.DEFAULT_SETTINGS
    });
    await galata.Mock.mockState(page, state as never);
    await galata.Mock.mockUser(page, USER);
  }

  private _lab: IJupyterLabPageFixture;
  private _settings: Settings = [];
}

const USER = {
  identity: {
    username: 'browser-tests',
    name: 'jovyan',
    display_name: 'jovyan',
    initials: 'JP',
    color: 'var(--jp-collaborator-color1)'
  },
  permissions: {}
};

/** Put a JupyterLab that was used back as it is after it has been loaded. */
async function resetInPage(page: Page, folder: string): Promise<void> {
  await closeMenus(page);
  const settings = galata.DEFAULT_SETTINGS;
  await page.evaluate(resetApplication, { folder, panel: PANEL, settings });
  await page.locator('.jp-Dialog').waitFor({ state: 'detached' });
  await expect(page.locator('.Toastify__toast')).toHaveCount(0);
}

async function closeMenus(page: Page): Promise<void> {
  const menu = page.locator('body > .lm-Menu:visible').last();
  while (await menu.isVisible()) {
    await page.keyboard.press('Escape');
  }
}

/** What is asked of the page; of JupyterLab's own types it has no more than it uses. */
interface IReset {
  folder: string;
  panel: string;
  settings: Record<string, unknown>;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- parts of JupyterLab that Galata has no types of */

/** Runs in the page. */
async function resetApplication(reset: IReset): Promise<void> {
  const { commands, serviceManager, shell } = window.jupyterapp as any;
  const service = (id: string): Promise<any> =>
    window.galata.getPlugin(id as never);

  const helpers = await service('@jupyterlab/galata-extension:helpers');
  helpers.dialogs.forEach((dialog: any) => dialog.reject());
  await serviceManager.sessions.shutdownAll();

  // The file browser first, as the Launcher that is opened next begins where that is.
  const path = reset.folder;
  await commands.execute('filebrowser:go-to-path', { path });
  for (const area of ['down', 'main']) {
    [...shell.widgets(area)].forEach((widget: any) => widget.dispose());
  }

  const registry = await service('@jupyterlab/apputils-extension:settings');
  for (const [id, { data }] of Object.entries<any>(registry.plugins)) {
    const first = JSON.stringify(reset.settings[id] ?? {});
    if (JSON.stringify(data.user) !== first) {
      await registry.upload(id, first);
    }
  }
  await (await service('@jupyterlab/apputils-extension:state')).clear();
  localStorage.clear();
  sessionStorage.clear();

  const find = (widget: any, id: string): any =>
    widget.id === id
      ? widget
      : [...widget.children()].map(each => find(each, id)).find(Boolean);
  shell.collapseRight();
  shell.activateById('filebrowser');
  find(shell, 'jp-main-split-panel').setRelativeSizes([1, 2.5, 1]);

  // A widget that is taken out forgets what was chosen, typed and unfolded in it.
  const panel = find(shell, reset.panel);
  shell.add(panel, 'left', { rank: 600, type: 'gpuquota' });
  const sections = [...panel.children()][0]?.content;
  sections?.widgets.forEach((_: unknown, index: number) => {
    if (index < 2) {
      sections.expand(index);
    } else {
      sections.collapse(index);
    }
  });
  helpers.notifications.dismiss();
}
