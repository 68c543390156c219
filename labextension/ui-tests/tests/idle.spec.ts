import type { Page } from '@playwright/test';
import { NOTEBOOK } from './notebook';
import { expect, LEAN, test } from './workspace';

/** The warning comes soon, and leaves time to answer it. */
const WARNS = { idle_timeout: '1m', warn_before: '55s' };
/** The end comes soon after the warning. */
const ENDS = { idle_timeout: '12s', warn_before: '10s' };

test('an idle session warns, is kept alive, and says who decided @live', async ({
  page,
  workspace,
  api,
  baseURL
}) => {
  await api.setPolicy(WARNS);
  await workspace.open();
  await api.create({ name: 'exp-1', ...LEAN });
  await api.reaches('exp-1', 'running');
  const other: Page = await page.context().newPage();
  await other.goto(`${baseURL}/lab/workspaces/other`);
  const there = other.locator('.Toastify__toast', {
    hasText: /^exp-1 will be suspended/
  });
  const notice = workspace.notice(/^exp-1 will be suspended at .* unless used/);
  await expect(notice).toBeVisible({ timeout: 60_000 });
  await expect(there).toBeVisible();
  await expect(workspace.row('exp-1')).toContainText(/suspends in \d+ s/);
  const status = page.getByRole('button', { name: /Keep it alive$/ });
  await expect(status).toContainText('exp-1 suspends in');

  await notice.getByRole('button', { name: 'Details' }).click();
  const details = page.locator('.jp-GpuQuota-details');
  await expect(details).toContainText(/Kernels\s*idle since/);
  await expect(details).toContainText("Idle timeout1m · everyone's policy");
  await expect(details).toContainText(
    /^.*Idle .*: no .* activity; will be suspended/
  );

  await notice.getByRole('button', { name: 'Keep alive 1h' }).click();
  await expect(workspace.notice(/^exp-1 is kept alive until/)).toBeVisible();
  await expect(notice).toBeHidden();
  await expect(there).toBeHidden();
  await other.close();
  await expect(status).toBeHidden();
  await expect(workspace.row('exp-1')).toHaveAccessibleName(/kept alive until/);
});

test("a session's own JupyterLab warns, saves what is unsaved, and explains the end @live", async ({
  page,
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
  const own = `${baseURL}/gpuquota/s/${id}`;
  const file = `${own}/api/contents/notes.ipynb`;
  const inside: Page = await page.context().newPage();
  await request.put(file, {
    data: { type: 'notebook', format: 'json', content: NOTEBOOK }
  });
  await inside.goto(`${own}/lab/tree/notes.ipynb`);
  await expect(
    inside.locator('[title*="Idle"], [data-status="idle"]').first()
  ).toBeVisible();
  const editor = inside.locator('.jp-Notebook .cm-content').first();
  await editor.click();
  await inside.keyboard.press('ControlOrMeta+A');
  await inside.keyboard.type('new');
  await expect(inside.locator('.jp-mod-dirty').first()).toBeVisible();

  await api.setPolicy(ENDS);
  await expect(
    inside.locator('.Toastify__toast', {
      hasText: /^exp-1 will be suspended at/
    })
  ).toBeVisible({ timeout: 90_000 });
  await expect(inside.locator('.jp-mod-dirty')).toHaveCount(0);
  const saved = await (await request.get(file)).json();
  expect(saved.content.cells[0].source).toBe('new');

  // JupyterLab itself would say that a kernel died: what explains it comes instead, and soon.
  await api.reaches('exp-1', 'suspended');
  const dialog = inside.locator('.jp-Dialog');
  await expect(dialog).toContainText(
    /Suspended: idle for .* \(idle timeout of/,
    {
      timeout: 5000
    }
  );
  await expect(dialog).toContainText('Your documents were saved');
  await expect(dialog).toHaveCount(1);
  const reloaded = inside.waitForEvent('load');
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await reloaded;
  await expect(dialog).toHaveCount(0);
  await expect(editor).toContainText('new');
  await inside.close();
});
