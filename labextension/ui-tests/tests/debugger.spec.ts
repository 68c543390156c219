import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { card, SERVED, test } from './templates';
import { expect } from './workspace';

test('a breakpoint stops a cell in a session @live', async ({
  page,
  templates
}) => {
  await templates.save('Small', {
    request: { ...SERVED, project: 'team-a', gpu: '0.25' }
  });
  await card(page, 'Small').click();
  await expect(page.locator('.jp-GpuQuota-kernelItem')).toContainText('GPU');
  const output = page.locator('.jp-OutputArea-output').first();
  await page.notebook.setCell(0, 'code', 'print("ready")');
  await page.notebook.runCell(0, true);
  await expect(output).toContainText('ready', { timeout: 90_000 });

  await page.notebook.setCell(0, 'code', 'answer = 6\nanswer *= 7\nanswer');
  const bug = page.locator('.jp-NotebookPanel-toolbar .jp-DebuggerBugButton');
  await bug.click({ timeout: 90_000 });
  await expect(bug).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(() => isDebugging(page), { timeout: 60_000 }).toBe(true);
  // The first of these elements has no line. A second click would take the breakpoint away again.
  await page
    .locator('.jp-Notebook .cm-breakpoint-gutter > .cm-gutterElement')
    .nth(3)
    .click({ position: { x: 5, y: 5 } });
  await expect.poll(() => breakpoints(page), { timeout: 60_000 }).toEqual([3]);
  await expect(
    page.locator('.jp-Notebook .cm-breakpoint-icon').last()
  ).toBeVisible();

  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('notebook:run-cell');
  });
  const frame = page.locator('.jp-DebuggerCallstackFrame').first();
  await expect(frame).toBeVisible({ timeout: 60_000 });
  await expect(page.locator('.jp-DebuggerVariables')).toContainText('answer');
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('debugger:continue');
  });
  await expect(output).toHaveText('42', { timeout: 60_000 });
});

/** Return whether the kernel is ready for breakpoints. */
function isDebugging(page: IJupyterLabPageFixture): Promise<boolean> {
  return page.evaluate(async () => {
    const id = '@jupyterlab/debugger-extension:service';
    return (await window.galata.getPlugin(id))?.isStarted ?? false;
  });
}

/** Return the lines where the kernel itself, not only the page, has breakpoints. */
function breakpoints(page: IJupyterLabPageFixture): Promise<number[]> {
  return page.evaluate(async () => {
    const id = '@jupyterlab/debugger-extension:service';
    const session = (await window.galata.getPlugin(id))?.session;
    const state = await session?.restoreState();
    const files = state?.body.breakpoints ?? [];
    return files.flatMap(file => file.breakpoints.map(({ line }) => line));
  });
}
