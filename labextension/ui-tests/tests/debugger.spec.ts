import { card, test } from './templates';
import { expect } from './workspace';

test('a breakpoint stops a cell in a session @live', async ({
  page,
  templates
}) => {
  await templates.save('Small', {
    request: { project: 'team-a', gpu: '0.25', kind: 'interactive' }
  });
  await card(page, 'Small').click();
  await expect(page.locator('.jp-GpuQuota-kernelItem')).toContainText('GPU');
  const output = page.locator('.jp-OutputArea-output').first();
  await page.notebook.setCell(0, 'code', 'print("ready")');
  await page.notebook.runCell(0, true);
  await expect(output).toContainText('ready', { timeout: 90_000 });

  await page.notebook.setCell(0, 'code', 'answer = 6\nanswer *= 7\nanswer');
  const bug = page.locator('.jp-NotebookPanel-toolbar .jp-DebuggerBugButton');
  const gutter = page.locator(
    '.jp-Notebook .cm-breakpoint-gutter > .cm-gutterElement'
  );
  await expect(async () => {
    if ((await bug.getAttribute('aria-pressed')) !== 'true') {
      await bug.click();
    }
    await expect(bug).toHaveAttribute('aria-pressed', 'true');
    // The first of these elements has no line.
    await gutter.nth(3).click({ position: { x: 5, y: 5 }, timeout: 5000 });
    await expect(page.locator('.cm-breakpoint-icon')).toHaveCount(1, {
      timeout: 5000
    });
  }).toPass({ timeout: 90_000 });

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
  await page.notebook.save();
  await page.notebook.close();
});
