import { expect, test } from './workspace';

test('JupyterLab loads the extension', async ({ page }) => {
  const active = await page.evaluate(() =>
    window.jupyterapp.hasPlugin('jupyter-gpuquota:plugin')
  );

  expect(active).toBe(true);
});
