import { Administration } from './administration';
import { expectAccessible, inThemes, setTheme } from './accessible';
import { expect, test } from './workspace';

const PROJECT = 'gpuquota/api/projects/team-e';

test('an admin makes a project, tries, changes and deletes it', async ({
  page,
  workspace,
  request,
  baseURL
}) => {
  const projects = new Administration(page);
  const { whole, form, table, changes, effect } = projects;
  await workspace.open();
  await workspace.panel.getByRole('button', { name: 'Projects' }).click();
  await whole.getByRole('button', { name: 'New project' }).click();
  await expect(projects.field('Name')).toBeFocused();
  // A label of two lines moves no help away from its field.
  const gaps = await form.locator('.jp-GpuQuota-field').evaluateAll(fields =>
    fields.flatMap(field => {
      const [input, help] = ['input, select', '.jp-GpuQuota-quiet'].map(part =>
        field.querySelector(part)?.getBoundingClientRect()
      );
      return input && help ? [Math.round(help.top - input.bottom)] : [];
    })
  );
  expect(gaps.length).toBeGreaterThan(2);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(6);
  await projects.fill({ Name: 'Team E', Quota: 'many', Limit: 'none at all' });
  await projects.press('Preview');
  await expect(form.locator('.jp-GpuQuota-problems')).toHaveCount(3);
  await expect(projects.field('Name')).toBeFocused();

  await projects.fill({ Name: 'team-e', Quota: '1.5', Limit: '' });
  await projects.fill({ Members: 'ana, ben' });
  await projects.press('Preview');
  await expect(effect).toContainText('team-e');
  await expect(table).not.toContainText('team-e');

  await page.keyboard.press('Shift+Tab');
  await expect(form.getByRole('button', { name: 'Apply' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(whole.getByText('team-e was saved.')).toBeVisible();
  await expect(
    whole.getByRole('button', { name: 'New project' })
  ).toBeFocused();
  // Both at one moment: a warning that comes above moves them.
  const button = whole.getByRole('button', { name: 'New project' });
  const apart = await whole.getByText('team-e was saved.').evaluate(
    (said, beside) => {
      const [a, b] = [said, beside].map(node => {
        const text = document.createRange();
        text.selectNodeContents(node!);
        return text.getBoundingClientRect().bottom;
      });
      return Math.abs(a - b);
    },
    await button.elementHandle()
  );
  expect(apart).toBeLessThanOrEqual(1);
  await expect(projects.row('team-e')).toContainText('ana, ben');
  await expect(changes).toContainText('team-e');
  await expect(
    workspace.panel.getByLabel('Project', { exact: true })
  ).toContainText('team-e');

  await projects.row('team-e').getByRole('button').click();
  await projects.fill({ Quota: '2' });
  const answer = await request.put(`${baseURL}/${PROJECT}`, {
    data: {
      quota: '3',
      limit: '4',
      interactive_duration: '8h',
      revision: await revision()
    }
  });
  expect(answer.status(), await answer.text()).toBe(200);
  await projects.press('Apply');
  await expect(form.getByRole('alert')).toContainText(
    'Your change was not saved'
  );
  await expect(projects.field('Quota')).toHaveValue('2');
  await projects.press('Discard my changes and reload');
  await expect(projects.field('Quota')).toHaveValue('3');
  await expect(projects.field('Quota')).toBeFocused();
  await expect(projects.field('Limit')).toHaveValue('4');
  await projects.fill({ Quota: '2' });
  await projects.press('Apply');
  await expect(changes).toContainText('quota: 2');
  await expect(projects.row('team-e')).toContainText('8h'); // what the form lacks stays
  // The table is read on its own: before it is, its row leads to what was there before.
  await expect(
    projects.row('team-e').getByRole('cell', { name: '2', exact: true })
  ).toBeVisible();

  await projects.row('team-e').getByRole('button').click();
  await projects.press('Delete');
  await page
    .locator('.jp-Dialog')
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(whole.getByText('team-e was deleted.')).toBeVisible();
  await expect(table).not.toContainText('team-e');

  async function revision(): Promise<string> {
    const list = await request.get(`${baseURL}/gpuquota/api/projects`);
    const { items } = await list.json();
    return items.find((item: { name: string }) => item.name === 'team-e')
      .revision;
  }
});

for (const [theme, title] of inThemes('projects can be set by everyone')) {
  test(title, async ({ page }) => {
    const projects = new Administration(page);
    await setTheme(page, theme);
    await projects.open();
    await projects.row('team-b').getByRole('button').click();
    await projects.fill({ Quota: '12' });
    await projects.press('Preview');
    await projects.form.getByRole('region').waitFor();
    await expectAccessible(page, ['.jp-GpuQuota-administration']);
    await projects.fill({ Quota: 'many', Limit: 'high' });
    await projects.press('Apply');
    await projects.form.locator('.jp-GpuQuota-problems').first().waitFor();
    await expectAccessible(page, ['.jp-GpuQuota-administration']);
  });
}
