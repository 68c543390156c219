import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible';
import { expect, test, Workspace } from './workspace';

/** Launch a session and open its own JupyterLab beside the one that shows it. */
async function enter(
  { page, api }: Workspace,
  name: string
): Promise<{ id: string; inside: Page }> {
  const { id } = await api.create({ name, command: [] });
  await api.reaches(name, 'running');
  const inside = await page.context().newPage();
  await inside.goto(`${api.base}/gpuquota/s/${id}/`);
  await expect(chip(inside)).toBeVisible({ timeout: 90_000 });
  // The launcher comes last and takes the focus, also from a menu that was opened before.
  await expect(inside.locator('.jp-Launcher')).toBeVisible();
  await expect
    .poll(() =>
      inside.evaluate(() =>
        Boolean(document.activeElement?.closest('#jp-main-dock-panel'))
      )
    )
    .toBe(true);
  return { id, inside };
}

const chip = (inside: Page) => inside.locator('.jp-GpuQuota-chip');
const menu = (inside: Page) => inside.getByRole('menu');
const tabs = (inside: Page) =>
  inside.locator('#jp-main-dock-panel .lm-DockPanel-tabBar .lm-TabBar-tab');

/** Return the names of the workspaces that a JupyterLab has. */
async function workspaces(page: Page, base: string): Promise<string[]> {
  const answer = await page.request.get(`${base}/lab/api/workspaces`);
  return (await answer.json()).workspaces.ids;
}

/** Return what a session's own workspace opens. */
async function opened(page: Page, base: string): Promise<string> {
  const answer = await page.request.get(`${base}/lab/api/workspaces/exp-1`);
  return answer.text();
}

test("a session's page has a workspace of its own, says where one is, and leads to others, details and back @live", async ({
  workspace
}) => {
  const { page, api } = workspace;
  await page.notebook.createNew('outer.ipynb');
  const before = await workspaces(page, api.base);
  const { id, inside } = await enter(workspace, 'exp-1');
  const own = `${api.base}/gpuquota/s/${id}`;
  await expect(inside).toHaveURL(`${own}/lab/workspaces/exp-1`);
  await expect(tabs(inside)).toHaveText(['Launcher']);
  await expect(chip(inside)).toHaveText(/exp-1 · ½ GPU · 16 GiB\s*simulated/);
  await expect(inside).toHaveTitle(/^exp-1 – JupyterLab/);
  await expect(inside.locator('.jp-GpuQuota-statusItem').first()).toHaveText(
    '½ GPU · 16 GiB (simulated)'
  );
  await expectAccessible(inside, ['#jp-gpuquota-chip']);
  const icon = inside.locator('link[rel="icon"]');
  await expect(icon).toHaveAttribute('href', /^data:image\/svg\+xml,/);

  // By the keyboard alone.
  await chip(inside).focus();
  await inside.keyboard.press('Enter');
  await expect(menu(inside).getByRole('menuitem')).toHaveText([
    /Show Details/,
    /Suspend/,
    /Back to JupyterLab/
  ]);
  await inside.keyboard.press('Escape');
  await expect(chip(inside)).toBeFocused();

  // Its kernel is that of its server: other sessions' Launchers have a card for it.
  const card = inside.locator('.jp-LauncherCard[title*="exp-1"]').first();
  await expect(card).toBeAttached({ timeout: 90_000 });
  await expect(card).toBeHidden();
  await inside.getByText('Python 3 (ipykernel)').first().click();
  await expect(tabs(inside)).toHaveText([/Untitled/]);
  await expect(inside).toHaveTitle(/^exp-1 – Untitled.*ipynb$/);
  // What is opened again with it.
  await expect.poll(() => workspaces(inside, own)).toEqual(['exp-1']);
  await expect.poll(() => opened(inside, own)).toMatch(/notebook:Untitled/);
  expect(await workspaces(page, api.base)).toEqual(before);

  const { id: second } = await api.create({ name: 'exp-2', command: [] });
  await api.reaches('exp-2', 'running');
  await inside.locator('[data-id="jupyter-gpuquota:panel"]').click();
  const row = inside.locator('[data-row]', { hasText: 'exp-1' });
  await expect(row).toContainText('this session');
  const another = inside.context().waitForEvent('page');
  await inside
    .locator('[data-row]', { hasText: 'exp-2' })
    .getByRole('button', { name: /^Open/ })
    .click();
  const other = await another;
  await expect(chip(other)).toContainText('exp-2', { timeout: 90_000 });
  await expect(other).toHaveURL(
    `${api.base}/gpuquota/s/${second}/lab/workspaces/exp-2`
  );
  await expect(tabs(other)).toHaveText(['Launcher']);
  await other.close();

  await chip(inside).focus();
  await inside.keyboard.press('Enter');
  await inside.keyboard.press('ArrowDown');
  await inside.keyboard.press('Enter');
  await expect(inside.locator('.jp-GpuQuota-details')).toContainText('exp-1');
  await workspace.open();
  await expect(workspace.row('exp-1')).toContainText('Running');
  await expect(workspace.row('exp-1')).not.toContainText('this session');

  // JupyterLab is open in another tab, which shows the session.
  await page.sidebar.close('left');
  await chip(inside).click();
  await menu(inside).getByText('Back to JupyterLab').click();
  const notice = inside.locator('.Toastify__toast', {
    hasText: 'exp-1 is selected in the tab where JupyterLab is open.'
  });
  const outer = page.context().waitForEvent('page');
  await notice.getByRole('button', { name: 'Open a New Tab' }).click();
  const lab = await outer;
  await expect(workspace.row('exp-1')).toBeFocused();
  await expect(lab.locator(`[data-row="${id}"]`)).toBeFocused({
    timeout: 120_000
  });
  expect(lab.url().startsWith(`${api.base}/lab`)).toBe(true);
  await expect(lab).not.toHaveURL(/reveal/); // once the row has been shown
  await lab.close();

  await chip(inside).click();
  await menu(inside).getByText('Suspend').click();
  await inside
    .getByRole('dialog')
    .getByRole('button', { name: 'Suspend' })
    .click();
  await api.reaches('exp-1', 'suspended');
});
