import { expect, test } from './workspace';

test.beforeEach(async ({ workspace }) => {
  await workspace.open();
});

test('the live line says where it fits, why it waits, and what forbids it', async ({
  workspace,
  api
}) => {
  await api.create({ name: 'first', project: 'team-b', gpu: '2' });
  await api.reaches('first', 'running');
  await workspace.openForm();
  const { form, verdict } = workspace;
  await expect(verdict).toContainText('Starts now');
  await expect(verdict).toContainText('not enforced');

  await form.getByLabel('Project').selectOption('team-b');
  await expect(verdict).toContainText('Will be queued');
  await expect(verdict).toContainText('would exceed the quota');
  await expect(
    form.getByRole('button', { name: 'Launch and queue' })
  ).toBeVisible();

  await form.getByLabel('Name').fill('first');
  await expect(verdict).toContainText('Not possible');
  await expect(form.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true');
});

test('a launch without an answer is not called failed, and is found in the list', async ({
  page,
  workspace
}) => {
  let release: () => void = () => undefined;
  const released = new Promise<void>(resolve => (release = resolve));
  await page.route(/gpuquota\/api\/sessions$/, async route => {
    if (route.request().method() !== 'POST') {
      return route.fallback();
    }
    // The controller hangs for longer than the request may take, then carries it out.
    void released.then(() => route.fetch());
    await route.fulfill({
      status: 503,
      json: {
        code: 'OutcomeUnknown',
        message: 'The controller did not respond within 60 s.',
        hint: 'Check the list before you try again.',
        fields: []
      }
    });
  });
  await workspace.openForm();
  const { form } = workspace;
  await form.getByLabel('Name').fill('hung');
  await form.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(form.getByRole('alert')).toContainText('It is not known');
  await expect(form.getByRole('alert')).not.toContainText('was not launched');
  release();
  await expect(workspace.row('hung')).toBeFocused();
  await expect(form).toHaveCount(0);
});

test('a training is launched again from a form that is filled in, and its share changed', async ({
  page,
  workspace,
  api
}) => {
  const command = ['sh', '-c', 'exit 3'];
  const fields = { kind: 'train', gpu: '0.25', env: { EPOCHS: '3' }, command };
  await api.create({ name: 'train-1', ...fields });
  await api.reaches('train-1', 'failed');
  await workspace.act('train-1', 'Launch Again…');
  const { form } = workspace;
  await expect(form.getByLabel('Name')).toHaveValue('train-2');
  await expect(form.getByLabel('Kind')).toHaveValue('train');
  await expect(form.getByRole('radio', { name: '¼' })).toBeChecked();
  await expect(form.getByLabel('Command')).toHaveValue('sh -c "exit 3"');
  await form.getByLabel('Command').fill('sleep 600 && echo done');
  await form.getByRole('button', { name: 'Run in a shell' }).click();
  await expect(form.getByLabel('Command')).toHaveValue(/^bash -c/);
  await form.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(workspace.row('train-2')).toContainText('Running');

  await workspace.act('train-2', 'Change Share…');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('radio', { name: '¼' })).toBeFocused();
  await dialog.getByRole('radio', { name: '½' }).check();
  await dialog.getByRole('button', { name: 'Relaunch' }).click();
  await expect(workspace.row('train-2')).toContainText('½ GPU');
});

test('what is queued for its quota is started now as spot', async ({
  workspace,
  api
}) => {
  await api.create({ name: 'first', project: 'team-b', gpu: '2' });
  await api.reaches('first', 'running');
  await workspace.openForm();
  const { form, verdict } = workspace;
  await form.getByLabel('Name').fill('spot');
  await form.getByLabel('Project').selectOption('team-b');
  await expect(verdict).toContainText('Will be queued');
  await form.getByRole('button', { name: 'Start now as spot' }).click();
  await expect(workspace.row('spot')).toBeFocused();
  await expect(workspace.row('spot')).toContainText(/Starting|Running/);
});

test('the live line follows what others take meanwhile', async ({
  workspace,
  api
}) => {
  await workspace.openForm();
  const { form, verdict } = workspace;
  await form.getByLabel('Project').selectOption('team-c');
  await expect(verdict).toContainText('Starts now');
  await api.create({ name: 'other', project: 'team-c', gpu: '2' });
  await expect(verdict).toContainText('Will be queued');
});

test('every broken field says what is wrong, all at once', async ({
  workspace
}) => {
  await workspace.openForm();
  const { form, verdict } = workspace;
  await form.getByRole('radio', { name: 'Custom…' }).check();
  await form.getByLabel('GPUs', { exact: true }).fill('0.125');
  await expect(verdict).toContainText('Uses 0.125 GPU of your quota');
  await expect(form.getByText('0.001 to 1, or a whole number')).toBeVisible();
  await form.getByLabel('Name').fill('My Session');
  await form.getByLabel('GPUs', { exact: true }).fill('1.5');
  await form.getByText('Advanced').click();
  await form.getByLabel('Ports').fill('70000');
  await form.getByLabel('Environment variables').fill('CUDA_VISIBLE_DEVICES=0');

  const problems = form.locator('.jp-GpuQuota-problems');
  await expect(problems).toHaveCount(4);
  await expect(problems.nth(0)).toContainText('my-session');
  await expect(problems.nth(1)).toContainText('enter 1 or 2');
  await form.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(form.getByLabel('Name')).toBeFocused();
  await expect(workspace.panel.getByText('No sessions yet')).toBeVisible();
});

test('a folder that is not there is named @live', async ({ workspace }) => {
  await workspace.openForm();
  const { form } = workspace;
  await form.getByLabel('Folder').fill('/nowhere/at/all');
  await expect(form.locator('.jp-GpuQuota-problems')).toContainText(
    '/nowhere/at/all'
  );
});

test('a session is launched, opened and stopped by keyboard alone', async ({
  page,
  workspace
}) => {
  const { keyboard } = page;
  await workspace.panel.getByRole('button', { name: 'Launch' }).first().focus();
  await keyboard.press('Enter');
  const { form, verdict } = workspace;
  await expect(form.getByLabel('Name')).toBeFocused();
  await keyboard.press('ControlOrMeta+A');
  await keyboard.type('by-keys');
  await keyboard.press('Tab');
  await expect(form.getByLabel('Project')).toBeFocused();
  await keyboard.press('Tab');
  await expect(form.getByRole('radio', { name: '½' })).toBeFocused();
  await keyboard.press('ArrowLeft');
  await expect(form.getByRole('radio', { name: '¼' })).toBeChecked();
  await expect(verdict).toContainText('Uses 0.25 GPU of your quota');
  await form.getByLabel('Folder').focus();
  await keyboard.press('Enter');

  const row = workspace.row('by-keys');
  await expect(row).toBeFocused();
  await expect(row).toContainText('Running', { timeout: 90_000 });
  const tab = page.context().waitForEvent('page');
  await keyboard.press('Enter');
  await (await tab).close();

  await row.focus();
  await keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.getByRole('menuitem', { name: 'Stop…' }).hover();
  await keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await keyboard.press('Enter');
  await expect(row).toContainText('Stopped', { timeout: 60_000 });
  await expect(row).toBeFocused();
});

test('the form remembers the last choice, and counts the name on', async ({
  workspace
}) => {
  await workspace.openForm();
  const { form } = workspace;
  await form.getByLabel('Project').selectOption('team-d');
  await form.getByRole('radio', { name: 'CPU only' }).check();
  await form.getByText('Advanced').click();
  await form.getByLabel('Command').fill('sleep 1000');
  await form.getByLabel('Environment variables').fill('SECRET=1');
  await expect(workspace.verdict).toContainText('Starts now; no GPU needed');
  await form.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(workspace.row('exp-1')).toContainText('Running');

  await workspace.openForm();
  await expect(form.getByLabel('Name')).toHaveValue('exp-2');
  await expect(form.getByLabel('Project')).toHaveValue('team-d');
  await expect(form.getByRole('radio', { name: 'CPU only' })).toBeChecked();
  await form.getByText('Advanced').click();
  await expect(form.getByLabel('Environment variables')).toHaveValue('');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(form).toHaveCount(0);
});

test('the form begins in the folder that the file browser shows @live', async ({
  workspace,
  tmpPath
}) => {
  await workspace.openForm();
  await expect(workspace.form.getByLabel('Folder')).toHaveValue(tmpPath);
  await expect(workspace.verdict).toContainText('Starts now');
});

test('another folder is chosen among those of the server @live', async ({
  page,
  workspace,
  tmpPath
}) => {
  await page.contents.createDirectory(`${tmpPath}/inner`);
  await workspace.openForm();
  await workspace.form.getByRole('button', { name: 'Browse…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('listitem', { name: /inner/ }).dblclick();
  await expect(dialog.locator('.jp-BreadCrumbs')).toContainText('inner');
  await dialog.getByRole('button', { name: 'Select' }).click();
  const folder = workspace.form.getByLabel('Folder');
  await expect(folder).toHaveValue(`${tmpPath}/inner`);
});
