import { Administration, set } from './administration';
import { expect, test } from './workspace';

const APART = 'Separate compute-share and memory-share sessions';

test.afterEach(async ({ request, baseURL }) => {
  await set(request, `${baseURL}/gpuquota/api/policy`, { levels: [] });
  await set(request, `${baseURL}/gpuquota/api/rules`, {});
  await set(request, `${baseURL}/gpuquota/api/groups`, { groups: [] });
});

test('an admin tries and applies rules', async ({ page, request, baseURL }) => {
  const admin = new Administration(page);
  const { whole, form, rules, changes, effect } = admin;
  await admin.open();
  await expect(rules).toContainText('1m');
  await admin.click('Change rules');
  await expect(admin.field('Time to save')).toBeFocused();
  await admin.fill({ 'Time to save': 'soon', 'Protected for': 'long' });
  await admin.press('Preview');
  await expect(form.locator('.jp-GpuQuota-problems')).toHaveCount(2);
  await expect(admin.field('Time to save')).toBeFocused();

  await admin.fill({ 'Time to save': '90s', 'Protected for': '10m' });
  await admin.field('Consolidate').check();
  await admin.press('Preview');
  await expect(effect).toBeVisible();
  await expect(rules).toContainText('1m');

  await set(request, `${baseURL}/gpuquota/api/rules`, { grace: '2m' });
  await admin.press('Apply');
  await expect(form.getByRole('alert')).toContainText(
    'Your change was not saved'
  );
  await admin.press('Merge with my changes');
  await expect(form.getByText('Time to save was set to “2m”')).toBeVisible();
  await expect(admin.field('Time to save')).toHaveValue('90s');
  await admin.press('Apply');
  await expect(whole.getByText('The rules were saved.')).toBeVisible();
  await expect(
    whole.getByRole('button', { name: 'Change rules', exact: true })
  ).toBeFocused();
  await expect(rules).toContainText('1m30s');
  await expect(rules).toContainText('10m');
  await expect(rules).toContainText('yes');
  await expect(changes).toContainText('changed the rules');
});

test('an admin makes, tries, changes and deletes a node group', async ({
  page,
  api
}) => {
  const [first, second] = await api.nodes();
  const admin = new Administration(page);
  const { whole, form, groups, effect } = admin;
  await admin.open();
  await admin.click('New group');
  await expect(admin.field('Name')).toBeFocused();
  await expect(form).toContainText(`Available: ${first}, ${second}.`);
  await admin.fill({ Name: 'Big', Nodes: `${second}, nowhere` });
  await admin.press('Apply');
  await expect(form.locator('.jp-GpuQuota-problems')).toHaveCount(2);
  await admin.fill({ Name: 'big', Nodes: second });
  await admin.field(APART).check();
  await admin.press('Preview');
  await expect(effect).toBeVisible();
  await admin.press('Apply');
  await expect(whole.getByText('big was saved.')).toBeVisible();
  await expect(whole.getByRole('button', { name: 'New group' })).toBeFocused();
  await expect(groups).toContainText('separate');

  await groups.getByRole('button', { name: 'big' }).click();
  await expect(admin.field('Nodes')).toBeFocused();
  await admin.fill({ Nodes: `${first}, ${second}` });
  await admin.press('Apply');
  await expect(groups).toContainText(`${first}, ${second}`);

  await groups.getByRole('button', { name: 'big' }).click();
  await admin.press('Delete');
  await page
    .locator('.jp-Dialog')
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(whole.getByText('big was deleted.')).toBeVisible();
  await expect(whole.getByText('No node groups.')).toBeVisible();
});

test('there is one view of what is set, and it is back after a reload', async ({
  page
}) => {
  const admin = new Administration(page);
  await admin.open();
  await admin.open();
  await expect(admin.whole).toHaveCount(1);
  await page.waitForTimeout(1500); // the layout is saved a moment later
  await page.reload({ waitForIsReady: false });
  await expect(admin.row('team-a')).toBeVisible();
  await admin.open();
  await expect(admin.whole).toHaveCount(1);
});

for (const theme of [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
]) {
  test(`rules and groups can be set by everyone: ${theme}`, async ({
    page
  }) => {
    const admin = new Administration(page);
    await page.theme.setTheme(theme);
    await admin.open();
    await admin.click('Change rules');
    await admin.fill({ 'Time to save': 'soon' });
    await admin.press('Apply');
    await admin.form.locator('.jp-GpuQuota-problems').first().waitFor();
    await admin.click('New group');
    await admin.click('New exemption');
    await admin.click('Add policy');
    expect(await admin.problems()).toEqual([]);
  });
}

test('an admin excepts a session by its name', async ({ page, api }) => {
  await api.create({ name: 'exp-1' });
  const admin = new Administration(page);
  const { whole, form } = admin;
  await admin.open();
  await admin.click('New exemption');
  await admin.fill({ Who: 'session:exp-2', Reason: 'A demo.' });
  await admin.field('or for').fill('soon');
  await admin.press('Apply');
  await expect(form.locator('.jp-GpuQuota-problems')).toHaveText([
    /Session 'exp-2' not found/,
    /Not a valid time/
  ]);
  await admin.field('Until').fill('2099-01-01T00:00');
  await expect(admin.field('or for')).toHaveValue('');
  await admin.press('Apply');
  await expect(form.locator('.jp-GpuQuota-problems')).toContainText(
    "Session 'exp-2' not found."
  );
  await expect(admin.field('Who')).toBeFocused();
  await admin.fill({ Who: 'session:exp-1' });
  await admin.press('Apply');
  await expect(whole.getByText('session:exp-1 is exempt.')).toBeVisible();
  await admin.click('session:exp-1');
  const [{ id }] = await api.list();
  await expect(admin.field('Who')).toHaveValue(`session:${id}`);
  await admin.press('Delete…');
  await page
    .locator('.jp-Dialog')
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(
    whole.getByText('The exemption of session:exp-1 was removed.')
  ).toBeVisible();
});

test('an admin sets a policy, and sees whom it would have ended', async ({
  page,
  api
}) => {
  await api.setPolicy({ keep_alives: 2 });
  const admin = new Administration(page);
  const { whole, form } = admin;
  await admin.open();
  await admin.click('everyone');
  await expect(admin.field('Idle timeout')).toHaveAttribute(
    'placeholder',
    'never (built-in)'
  );
  await admin.fill({ 'Idle timeout': '2 hours', 'Warn before': 'soon' });
  await admin.field('Action when idle').selectOption('stop');
  await admin.press('Apply');
  await expect(form.locator('.jp-GpuQuota-problems')).toContainText(
    'Not a duration.'
  );
  await expect(admin.field('Warn before')).toBeFocused();
  await admin.fill({ 'Warn before': '5 min' });
  await expect(form.getByLabel('Effect of this change')).toContainText(
    /(It would have ended \d+ idle sessions? in the last|No activity is recorded yet)/
  );
  await admin.press('Apply');
  await expect(whole.getByText('everyone was saved.')).toBeVisible();
  const row = whole.getByRole('row', { name: /^everyone/ });
  await expect(row).toContainText('2h');
  await expect(row).toContainText('Extensions allowed: 2');
  await admin.click('Add policy');
  await admin.field('Applies to').selectOption('kind:train');
  await expect(admin.field('Idle timeout')).toHaveAttribute(
    'placeholder',
    '2h (everyone)'
  );
});
