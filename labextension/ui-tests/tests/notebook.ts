import type { Locator, Page } from '@playwright/test';
import { expect } from './workspace';

/** A notebook of one cell, whose kernel starts when it is opened. */
export const NOTEBOOK = {
  cells: [
    {
      cell_type: 'code',
      id: 'a',
      execution_count: null,
      metadata: {},
      outputs: [],
      source: 'old'
    }
  ],
  metadata: { kernelspec: { name: 'python3', display_name: 'Python 3' } },
  nbformat: 4,
  nbformat_minor: 5
};

/** Wait until a kernel has said who it is: what runs earlier, JupyterLab drops without a word. */
async function kernelAnswers(page: Page): Promise<void> {
  const socket = await page.waitForEvent('websocket', {
    predicate: made => made.url().includes('/channels'),
    timeout: 90_000
  });
  await socket.waitForEvent('framereceived', {
    predicate: frame => frame.payload.toString().includes('kernel_info_reply'),
    timeout: 90_000
  });
}

/** Run code in a new notebook of a session's own JupyterLab, and return what it printed. */
export async function runCode(page: Page, code: string): Promise<Locator> {
  const answered = kernelAnswers(page);
  await page.getByText('Python 3 (ipykernel)').first().click();
  await answered;
  // Galata's helpers are for a JupyterLab that shows itself to scripts; this one does not.
  const cell = page.locator('.jp-Notebook .jp-Cell .cm-content').first();
  const output = page.locator('.jp-OutputArea-output').first();
  // The reply is there, but JupyterLab has yet to read it: who is too quick runs the cell again.
  await expect(async () => {
    await cell.fill(code);
    await cell.press('Control+Enter');
    await output.waitFor({ timeout: 10_000 });
  }).toPass({ timeout: 90_000 });
  return output;
}
