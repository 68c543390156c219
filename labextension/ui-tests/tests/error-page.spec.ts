import AxeBuilder from '@axe-core/playwright';
import { expect, LEAN, test } from './workspace';

test('the address of a suspended session offers to resume it @live', async ({
  workspace
}) => {
  const { page, api } = workspace;
  const { id } = await api.create({ name: 'exp-1', ...LEAN });
  await api.reaches('exp-1', 'running');
  await workspace.open();
  await workspace.act('exp-1', 'Suspend…');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Suspend' })
    .click();
  await api.reaches('exp-1', 'suspended');

  const other = await page.context().newPage();
  await other.goto(`${api.base}/gpuquota/s/${id}/api`);
  await expect(other.getByRole('heading')).toHaveText('exp-1 is suspended');
  const { violations } = await new AxeBuilder({ page: other }).analyze();
  expect(violations).toEqual([]);
  await other.getByRole('button', { name: 'Resume' }).click();
  await api.reaches('exp-1', 'running');
  // The page reloads itself until the session is there.
  await expect(other.locator('body')).toContainText('"version"');
  await other.close();
});
