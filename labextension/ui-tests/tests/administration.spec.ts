import { Administration, set } from './administration';
import { expect, test } from './workspace';

test.afterEach(async ({ request, baseURL }) => {
  await set(request, `${baseURL}/gpuquota/api/policy`, { levels: [] });
  await set(request, `${baseURL}/gpuquota/api/rules`, {});
  await set(request, `${baseURL}/gpuquota/api/groups`, { groups: [] });
});

test('an admin sets rules and node groups as a file', async ({
  page,
  api,
  request,
  baseURL
}) => {
  const [first, second] = await api.nodes();
  const admin = new Administration(page);
  const { whole, rules, groups, changes } = admin;
  await admin.open();
  await expect(rules).toContainText('1m');
  const button = whole.getByRole('button', { name: 'Edit as file' });
  await button.click();
  const area = whole.getByLabel('Settings (YAML)');
  await expect(area).toBeFocused();
  await expect(area).toHaveValue(/name: team-a/);
  const text = await area.inputValue();
  await area.fill(`${text}rules: {grace: soon}\n`);
  await whole.getByRole('button', { name: 'Apply' }).click();
  const mistakes = whole.locator('.jp-GpuQuota-settingsFile li');
  await expect(mistakes).toHaveText([/^Line \d+, rules\.grace/]);
  await expect(area).toBeFocused();

  const wanted = `rules: {grace: 90s, consolidate: true}
groups: [{name: big, nodes: [${first}, ${second}], separate: true}]
`;
  await area.fill(text + wanted);
  await set(request, `${baseURL}/gpuquota/api/rules`, { grace: '2m' });
  await whole.getByRole('button', { name: 'Apply' }).click();
  await expect(whole.getByRole('alert')).toContainText(
    'Your change was not saved'
  );
  await admin.click('Discard my changes and reload');
  await expect(area).toHaveValue(/grace: 2m/);
  await area.fill(text + wanted);
  await whole.getByRole('button', { name: 'Apply' }).click();
  await expect(whole.getByText('The settings were saved.')).toBeVisible();
  await expect(button).toBeFocused();
  await expect(rules).toContainText('1m30s');
  await expect(rules).toContainText('yes');
  await expect(groups).toContainText(`${first}, ${second}`);
  await expect(groups).toContainText('separate');
  await expect(changes).toContainText('changed the rules');
  await expect(changes).toContainText('changed the node groups');
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
  test(`all settings can be set by everyone: ${theme}`, async ({ page }) => {
    const admin = new Administration(page);
    await page.theme.setTheme(theme);
    await admin.open();
    await admin.click('Edit as file');
    await admin.whole.getByLabel('Settings (YAML)').fill('projects: 1');
    await admin.whole.getByRole('button', { name: 'Apply' }).first().click();
    await admin.whole.locator('.jp-GpuQuota-problems').first().waitFor();
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
