import type { Route } from '@playwright/test';
import { expect, test } from './workspace';

const ALL = '**/gpuquota/api/**';

test('where the server half is missing, the panel says what to do', async ({
  page,
  workspace
}) => {
  // What Jupyter itself answers where no extension has taken the path.
  const missing = (route: Route) =>
    route.continue({
      url: route.request().url().replace('/gpuquota/api/', '/gpuquota-none/')
    });
  await page.route(ALL, missing);
  await page.reload();
  await workspace.open();
  const card = workspace.panel.getByRole('alert');
  await expect(card).toContainText('Server extension not found');
  await expect(card).toContainText('jupyter server extension list');
  await expect(card).toContainText('jupyter labextension list');
  await expect(workspace.panel.locator('.jp-GpuQuota-team')).toBeHidden();
  const toolbar = workspace.panel.locator('.jp-SidePanel-toolbar');
  await expect(async () => {
    const [bar, below] = await Promise.all(
      [toolbar, card].map(each => each.boundingBox())
    );
    expect(bar!.y + bar!.height).toBeLessThanOrEqual(below!.y + 1);
  }).toPass();

  const typed = card.locator('code').first();
  await expect(typed).toHaveCSS('text-transform', 'none');
  await expect(typed).toHaveCSS('font-weight', '400');
  const retry = card.getByRole('button', { name: 'Try again' });
  const color = await retry.evaluate(node => getComputedStyle(node).color);
  await expect(retry.locator('[fill]').first()).toHaveCSS('fill', color);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await card.getByRole('button', { name: 'Copy' }).first().click();
  await expect(card.getByRole('button', { name: 'Copied' })).toBeFocused();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'jupyter server extension list\njupyter labextension list'
  );

  await page.unroute(ALL, missing);
  await retry.click();
  await expect(workspace.panel.getByRole('meter')).toBeVisible();
  await expect(card).toHaveCount(0);
});
