import { expectAccessible, inThemes, setTheme } from './accessible';
import { expect, test } from './workspace';

for (const [theme, title] of inThemes(
  'panel, form, details and log can be used by everyone'
)) {
  test(`${title} @live`, async ({ page, workspace, api }) => {
    await setTheme(page, theme);
    const command = ['sh', '-c', 'echo loading; echo no such file >&2; exit 3'];
    await api.create({ name: 'shown', gpu: '0.25' });
    await api.create({ name: 'ended', command });
    await api.create({ name: 'waits', project: 'team-b', gpu: '2' });
    await api.create({ name: 'waits-too', project: 'team-b', gpu: '2' });
    await workspace.open();
    await expect(workspace.row('ended')).toContainText('Failed');
    await expect(workspace.row('shown')).toContainText('Running');
    await expectAccessible(page, ['.jp-GpuQuota-sidebar'], {
      without: '.jp-AccordionPanel-title' // JupyterLab's own
    });

    await workspace.openForm();
    await workspace.form.getByRole('radio', { name: 'Custom…' }).check();
    await workspace.form.getByLabel('GPUs', { exact: true }).fill('7');
    await workspace.form.getByText('Advanced').click();
    await expect(workspace.verdict).toContainText('Not possible');
    await expectAccessible(page, ['.jp-GpuQuota-form']);

    await workspace.act('ended', 'Show Details');
    const details = page.locator('.jp-GpuQuota-details');
    await expect(details).toContainText('no such file');
    await expect(details.locator('dd').first()).toHaveText('3');
    await expectAccessible(page, ['.jp-GpuQuota-details']);
    await workspace.act('shown', 'Show Log');
    await expect(page.getByRole('log')).toContainText('ready');
    await page.getByLabel('Search in the log').fill('ready');
    await expectAccessible(page, ['.jp-GpuQuota-log']);
  });
}
