import { expectAccessible, inThemes, setTheme } from './accessible';
import { card, test } from './templates';
import { expect } from './workspace';

for (const [theme, title] of inThemes(
  'a template is saved from the form, edited from its card, and deleted'
)) {
  test(title, async ({ page, workspace, templates }) => {
    await setTheme(page, theme);
    const dialog = page.locator('.jp-Dialog');
    const { form } = workspace;
    const save = form.getByRole('button', { name: 'Save as template…' });
    await workspace.open();
    await workspace.openForm();
    await form.getByLabel('Name').fill('exp-7');
    await form.getByLabel('Project').selectOption('team-b');
    await form.getByRole('radio', { name: '¼' }).check();
    // Its lines move the buttons below.
    await expect(workspace.verdict).toContainText('0.25 GPU of your quota');
    await save.click();
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await expect(name).toHaveValue('exp-7');
    await name.fill('fine-tune');
    await page.keyboard.press('Enter');
    await expect(workspace.notice('Template fine-tune saved')).toBeVisible();
    const choice = form.getByLabel('Template', { exact: true });
    await expect(choice).toHaveValue('own/fine-tune');
    const [saved] = await templates.list();
    expect(saved.request).toMatchObject({ project: 'team-b', gpu: '0.25' });
    expect(saved.request.name ?? '').toBe('');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toHaveCount(0);

    await card(page, 'fine-tune').click({ button: 'right' });
    await page
      .getByRole('menuitem', { name: 'Edit Before Launching…' })
      .click();
    await expect(choice).toHaveValue('own/fine-tune');
    await expect(form.getByLabel('Project')).toHaveValue('team-b');
    await expect(form.getByRole('radio', { name: '¼' })).toBeChecked();
    await form.getByRole('radio', { name: '½' }).check();
    await save.click();
    await expect(name).toHaveValue('fine-tune');
    await name.press('Enter');
    await expect(dialog).toContainText('Confirm, or choose another name.');
    await dialog.getByLabel('Replace the template fine-tune').check();
    await expectAccessible(page, ['.jp-Dialog', '.jp-GpuQuota-form']);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await templates.list()).map(({ request }) => request))
      .toMatchObject([{ project: 'team-b', gpu: '0.5' }]);

    await form.getByRole('button', { name: 'Delete template…' }).click();
    await expect(dialog).toContainText('Delete the template fine-tune?');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(choice).toHaveCount(0);
    expect(await templates.list()).toEqual([]);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(card(page, 'fine-tune')).toHaveCount(0);
  });
}
