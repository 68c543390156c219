import { Administration } from './administration';
import { expectAccessible, inThemes, setTheme } from './accessible';
import { test } from './workspace';

for (const [theme, title] of inThemes('all settings can be set by everyone')) {
  test(title, async ({ page }) => {
    const admin = new Administration(page);
    await setTheme(page, theme);
    await admin.open();
    await admin.click('Edit as file');
    await admin.whole.getByLabel('Settings (YAML)').fill('projects: 1');
    await admin.whole.getByRole('button', { name: 'Apply' }).first().click();
    await admin.whole.locator('.jp-GpuQuota-problems').first().waitFor();
    await admin.click('New exemption');
    await admin.click('Add policy');
    await expectAccessible(page, ['.jp-GpuQuota-administration']);
  });
}
