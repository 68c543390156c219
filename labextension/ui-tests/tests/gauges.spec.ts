import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { expect } from '@playwright/test';
import { withLab } from './ownlab';

const folder = mkdtempSync(join(tmpdir(), 'gpuquota-gpus-'));
const FILE = join(folder, 'gpus.json');
const test = withLab('jupyter_server_own_config.py', 'jupyterlab', {
  GPUQUOTA_TEST_GPUS: FILE
});

const IDLE = {
  uuid: 'GPU-0',
  memory: 40_960,
  used: 512,
  utilisation: 0,
  temperature: 31,
  processes: [] as number[][]
};
const SECOND = { ...IDLE, uuid: 'GPU-1', temperature: 29 };

/** Set what the driver reports; the file is replaced by the next write only. */
function report(...gpus: (typeof IDLE)[]): void {
  writeFileSync(FILE, JSON.stringify(gpus));
}

report(IDLE, SECOND);

test.afterEach(async ({ lab }) => {
  await lab.api.clear();
});

test.afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('gauges, the status bar and a session show what GPUs are doing @live', async ({
  context,
  lab
}) => {
  const { api, origin, request, token } = lab;
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/lab?token=${token}`);
  await page
    .getByRole('tab', { name: 'GPU Workspace' })
    .click({ timeout: 120_000 });
  const panel = page.locator('.jp-GpuQuota-sidebar');
  const meter = (name: string) => panel.getByRole('meter', { name });
  await expect(panel).toContainText('This machine: 2 GPUs');
  await expect(meter('GPU 1: utilisation')).toHaveAttribute(
    'aria-valuetext',
    '0 %'
  );

  const { id } = await api.create({
    name: 'train-1',
    project: undefined,
    command: [
      'python3',
      '-uc',
      'import os, time; print(os.getpid()); time.sleep(3600)'
    ]
  });
  await api.reaches('train-1', 'running');
  const pid = Number(
    await (
      await request.get(`${origin}/gpuquota/api/sessions/${id}/log?tail=1`)
    )
      .json()
      .then(({ text }) => text)
  );
  const busy = [pid, 20_480, 87];
  report(
    {
      ...IDLE,
      used: 24_576,
      utilisation: 93,
      temperature: 71,
      processes: [busy, [process.pid, 3072, 6]]
    },
    SECOND
  );
  await expect(meter('GPU 0: utilisation')).toHaveAttribute(
    'aria-valuenow',
    '93'
  );
  await expect(meter('GPU 0: memory')).toHaveAttribute(
    'aria-valuetext',
    '24 of 40 GiB'
  );
  const readings = panel.getByRole('list', { name: 'GPU readings' });
  await expect(readings).toContainText('71 °C');
  await expect(readings).toContainText('train-1: 20 GiB');
  await expect(readings).toContainText(/node \(\w+\), outside sessions: 3 GiB/);
  await expect(
    page.getByRole('button', { name: /My GPUs: .*93 %, 24 of 40 GiB, 71 °C/ })
  ).toBeVisible();
  const row = panel.locator('[data-row]');
  await expect(row.getByRole('img', { name: /now 87 %/ })).toBeVisible();
  await expect(row).toContainText('87 %');

  await row.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Show Details' }).click();
  const details = page.locator('.jp-GpuQuota-details');
  await expect(details).toContainText('GPU use');
  await expect(
    details.getByRole('meter', { name: 'GPU 0: utilisation' })
  ).toBeVisible();

  const text = 'torch.OutOfMemoryError: CUDA out of memory.';
  await api.create({
    name: 'train-2',
    project: undefined,
    command: ['sh', '-c', `echo ${text}; exit 1`]
  });
  await expect(row.filter({ hasText: 'train-2' })).toContainText(
    /Ran out of GPU memory at \d/
  );
});
