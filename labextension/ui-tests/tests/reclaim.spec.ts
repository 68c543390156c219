import { expect, test } from './workspace';

test('who is reclaimed is told for whom, and that it is back in line', async ({
  page,
  workspace,
  api
}) => {
  for (const name of ['older', 'younger']) {
    await api.create({
      name,
      project: 'team-c',
      gpu: '8',
      kind: 'interactive-spot'
    });
    await api.reaches(name, 'running');
  }
  await workspace.open();
  await expect(workspace.row('younger')).toContainText('Running');
  await api.create({ name: 'taker', project: 'team-d', gpu: '8' });

  const notice = workspace.notice(/^younger was preempted by taker \(team-d\)/);
  await expect(notice).toBeVisible();
  await expect(workspace.row('younger')).toContainText(
    /Reclaimed .* for taker \(team-d\) · queued/
  );
  await expect(workspace.row('older')).toContainText('Running');
  await notice.getByRole('button', { name: 'Details' }).click();
  const details = page.locator('.jp-GpuQuota-details');
  await expect(details).toContainText('queued (#1)');
  await expect(details).toContainText('Last reclaimed');
});
