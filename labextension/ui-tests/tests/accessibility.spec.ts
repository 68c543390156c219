import AxeBuilder from '@axe-core/playwright';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { expect, test } from './workspace';

const THEMES = [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
];

/** Return what is wrong with one part of the page, by WCAG 2.2 A and AA. */
async function check(
  page: IJupyterLabPageFixture,
  part: string
): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    // The titles of sections are JupyterLab's own.
    .exclude('.jp-AccordionPanel-title')
    .analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join('\n')}`
  );
}

for (const theme of THEMES) {
  test(`panel, form, details and log can be used by everyone: ${theme} @live`, async ({
    page,
    workspace,
    api
  }) => {
    await page.theme.setTheme(theme);
    await api.create({ name: 'shown', gpu: '0.25' });
    await api.create({ name: 'ended', command: ['sh', '-c', 'exit 1'] });
    await api.create({ name: 'waits', project: 'team-b', gpu: '2' });
    await api.create({ name: 'waits-too', project: 'team-b', gpu: '2' });
    await workspace.open();
    await expect(workspace.row('ended')).toContainText('Failed');
    await expect(workspace.row('shown')).toContainText('Running');
    expect(await check(page, '.jp-GpuQuota-sidebar')).toEqual([]);

    await workspace.openForm();
    await workspace.form.getByRole('radio', { name: 'Custom…' }).check();
    await workspace.form.getByLabel('GPUs', { exact: true }).fill('7');
    await workspace.form.getByText('Advanced').click();
    await expect(workspace.verdict).toContainText('Not possible');
    expect(await check(page, '.jp-GpuQuota-form')).toEqual([]);

    await workspace.act('ended', 'Show Details');
    await page.locator('.jp-GpuQuota-details').waitFor();
    expect(await check(page, '.jp-GpuQuota-details')).toEqual([]);
    await workspace.act('shown', 'Show Log');
    await expect(page.getByRole('log')).toContainText('ready');
    await page.getByLabel('Search in the log').fill('ready');
    expect(await check(page, '.jp-GpuQuota-log')).toEqual([]);
  });
}
