import { readFile } from 'fs/promises';
import { expect, test } from './workspace';

const COUNT = [
  'python3',
  '-u',
  '-c',
  `import time
for i in range(4000):
    print("step", i)
i = 4000
while True:
    time.sleep(0.3)
    print("step", i)
    i += 1`
];

test('a log is followed, searched and read from its beginning @live', async ({
  page,
  workspace,
  api
}) => {
  await workspace.open();
  await api.create({ name: 'counting', command: COUNT });
  await expect(workspace.row('counting')).toContainText('Running');
  await api.reaches('counting', 'running');
  await workspace.act('counting', 'Show Log');
  const log = page.locator('.jp-GpuQuota-log');
  const text = log.getByRole('log');
  await expect(text).toContainText('step 4005');
  const atEnd = () =>
    text.evaluate(
      node => node.scrollHeight - node.scrollTop - node.clientHeight < 50
    );
  await expect.poll(atEnd).toBe(true);

  // Scrolled up, it stays where it is while the log grows.
  await text.evaluate(node => {
    node.scrollTop = 100;
  });
  const follow = log.getByRole('button', { name: 'Follow' });
  await expect(follow).toBeVisible();
  const length = (await text.textContent())?.length ?? 0;
  await expect
    .poll(async () => (await text.textContent())?.length ?? 0)
    .toBeGreaterThan(length);
  expect(await text.evaluate(node => node.scrollTop)).toBe(100);
  await follow.click();
  await expect.poll(atEnd).toBe(true);

  await log.getByRole('button', { name: 'Load earlier lines' }).click();
  await expect(text).toContainText('step 0\n');
  await text.press('ControlOrMeta+f');
  await expect(log.getByLabel('Search in the log')).toBeFocused();
  await page.keyboard.type('STEP 123');
  await expect(log).toContainText('11 of 11');
  await page.keyboard.press('Enter');
  await expect(log).toContainText('10 of 11');
  await expect(text.locator('mark.jp-mod-current')).toBeInViewport();

  const download = page.waitForEvent('download');
  await log.getByRole('button', { name: 'Download' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('counting.log');
  expect(await readFile(await file.path(), 'utf-8')).toMatch(
    /^step 0\nstep 1\n[^]*step 4005\n/
  );
  await log.getByRole('button', { name: 'Wrap lines' }).click();
  await expect(text.locator('pre').first()).toHaveCSS('white-space', 'pre');
});
