import { expect, test } from './workspace';

test('a list of a thousand sessions draws few of them, and scrolls to any', async ({
  page,
  workspace,
  api
}) => {
  await api.create({ name: 'model' });
  await api.reaches('model', 'running');
  const [model] = await api.list();
  const many = Array.from({ length: 1000 }, (_, index) => ({
    ...model,
    id: `many-${index}`,
    created: new Date(Date.UTC(2026, 0, 1) - index * 1000).toISOString(),
    spec: { ...model.spec, name: `many-${index}` }
  }));
  await page.route('**/gpuquota/api/sessions?*', async route => {
    await route.fulfill({
      json: { items: many, total: 1000, revision: '1', next: '' }
    });
  });
  await workspace.open();
  const list = workspace.panel.getByRole('grid', { name: 'Sessions' });
  await expect(list).toHaveAttribute('aria-rowcount', '1000');
  const drawn = () => list.getByRole('row').count();
  expect(await drawn()).toBeLessThan(60);

  await workspace.row('many-0').focus();
  await page.keyboard.press('End');
  await expect(workspace.row('many-999')).toBeFocused();
  await expect(workspace.row('many-999')).toBeInViewport();
  await list.evaluate(node => {
    node.scrollTop = node.scrollHeight / 2;
  });
  await expect(workspace.row('many-500')).toBeInViewport();
  expect(await drawn()).toBeLessThan(60);

  await workspace.panel.getByRole('searchbox').fill('many-77');
  await expect(list).toHaveAttribute('aria-rowcount', '11');
});
