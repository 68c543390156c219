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

test('another version of the server is said, and can be used if it is understood', async ({
  page,
  workspace
}) => {
  await page.route('**/gpuquota/api/about*', async route => {
    const answer = await route.fetch();
    await route.fulfill({
      json: { ...(await answer.json()), version: '99.0.0' }
    });
  });
  await page.reload();
  await workspace.open();
  await expect(workspace.panel.getByRole('alert')).toContainText('99.0.0');
  await workspace.panel.getByRole('button', { name: 'Use anyway' }).click();
  await expect(workspace.panel.getByRole('meter')).toBeVisible();
});

test('a controller that does not start is said in its own words', async ({
  page,
  workspace
}) => {
  await page.route(ALL, route =>
    route.fulfill({
      status: 503,
      json: {
        code: 'NoServer',
        message: 'The controller did not start within 20 s.',
        hint: 'Its log says why: controller.log.',
        fields: []
      }
    })
  );
  await page.reload();
  await workspace.open();
  const card = workspace.panel.getByRole('alert');
  await expect(card).toContainText('did not start within 20 s');
  await expect(card).toContainText('controller.log');
  await expect(card.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('a server that goes away leaves what was known, marked as old', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'kept' });
  await workspace.open();
  await expect(workspace.row('kept')).toContainText('Running');
  await page.route(ALL, route => route.abort());
  await workspace.panel.getByTitle('Refresh').click();
  await expect(
    workspace.panel.getByText('Showing the last known state.')
  ).toBeVisible();
  await expect(workspace.row('kept')).toBeVisible();
});
