import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { freePort, ILab, withLab } from './ownlab';

/** One server for what asks for a token: sessions have hosts of their own, and a second cluster. */
const test = withLab('jupyter_server_hosts_config.py', 'jupyterlab', {
  GPUQUOTA_TEST_CLUSTERS: 'yes'
});

test.afterEach(async ({ lab }) => {
  await lab.api.clear();
});

/** What a script in a page got hold of. */
interface ILoot {
  tokens: string[];
  terminals: number;
  cookies: string;
}

/** Do what a script would that wants to become its user: look for a token, open terminals. */
function attack(page: Page, lab: string): Promise<ILoot> {
  return page.evaluate(async lab => {
    const loot = {
      tokens: [] as string[],
      terminals: 0,
      cookies: document.cookie
    };
    const ask = (url: string, options?: RequestInit) =>
      fetch(url, { credentials: 'include', ...options }).catch(() => null);
    for (const base of new Set([lab, location.origin])) {
      const html = await (await ask(`${base}/lab`))?.text();
      const token = /"token": "([^"]+)"/.exec(html ?? '')?.[1];
      if (token) {
        loot.tokens.push(token);
      }
      const xsrf = /_xsrf=([^;]+)/.exec(document.cookie)?.[1] ?? '';
      for (const headers of [{ 'X-XSRFToken': xsrf }, undefined]) {
        const mode = headers ? 'cors' : 'no-cors';
        const asked = { method: 'POST', mode, headers } as RequestInit;
        const answer = await ask(`${base}/api/terminals`, asked);
        loot.terminals += answer?.ok ? 1 : 0;
      }
    }
    return loot;
  }, lab);
}

/** Have a page of JupyterLab's own origin that its user has opened; it runs no scripts but a test's. */
async function logIn(page: Page, { origin, token }: ILab): Promise<void> {
  await page.route(`${origin}/static/**`, route => route.abort());
  const answer = await page.goto(`${origin}/lab?token=${token}`);
  expect(answer?.status()).toBe(200);
}

async function terminals({ origin, token }: ILab, page: Page) {
  const headers = { Authorization: `token ${token}` };
  const answer = await page.request.get(`${origin}/api/terminals`, { headers });
  return (await answer.json()).length;
}

test("a page of a session cannot act as JupyterLab, and the session's own JupyterLab works @live", async ({
  context,
  lab
}) => {
  const { id } = await lab.api.create({ name: 'exp-1', command: [] });
  await lab.api.reaches('exp-1', 'running');
  const page = await context.newPage();
  await logIn(page, lab);
  // So the attack is one: at JupyterLab's own origin it works.
  const own = await attack(page, lab.origin);
  expect(own.tokens).toEqual([lab.token]);
  expect(own.terminals).toBeGreaterThan(0);
  const opened = await terminals(lab, page);

  const session = `http://${id}.localhost:${lab.port}`;
  await page.goto(`${lab.origin}/gpuquota/s/${id}/lab`);
  await expect(page).toHaveURL(`${session}/gpuquota/s/${id}/lab`);
  const notebook = page.locator('.jp-LauncherCard[data-category="Notebook"]');
  await notebook.first().click();
  const cell = page.locator('.jp-Notebook .cm-content').first();
  await cell.click();
  await page.keyboard.type('6 * 7');
  // JupyterLab runs nothing while it connects to the kernel.
  await expect(async () => {
    await cell.click();
    await page.keyboard.press('Control+Enter');
    const output = page.locator('.jp-OutputArea-output').first();
    await expect(output).toHaveText('42', { timeout: 3000 });
  }).toPass({ timeout: 60_000 });

  const there = await attack(page, lab.origin);
  expect(there.tokens).toEqual([]);
  expect(there.terminals).toBe(0);
  expect(there.cookies).not.toContain('gpuquota');
  expect(await terminals(lab, page)).toBe(opened);

  await page.goto(`${session}/lab`);
  await expect(page).toHaveURL(`${lab.origin}/lab`);
});

test('a program has a host of its own, at its root, and comes back after a logout @live', async ({
  context,
  lab
}) => {
  const port = await freePort();
  const program = [
    'import http.server, sys',
    'class Page(http.server.BaseHTTPRequestHandler):',
    '    def do_GET(self):',
    '        self.send_response(200)',
    '        self.send_header("Content-Type", "text/html")',
    '        self.send_header("Set-Cookie", "mine=1")',
    '        self.end_headers()',
    '        self.wfile.write(b"<title>program</title>%s" % self.path.encode())',
    `http.server.ThreadingHTTPServer(("127.0.0.1", ${port}), Page).serve_forever()`
  ].join('\n');
  const { id } = await lab.api.create({
    name: 'board',
    command: ['python3', '-u', '-c', program],
    ports: [port]
  });
  await lab.api.reaches('board', 'running');
  const page = await context.newPage();
  await logIn(page, lab);
  const address = `${lab.origin}/gpuquota/s/${id}/p/${port}/a?b=1#c`;
  const own = `http://${id}-${port}.localhost:${lab.port}`;
  await expect(async () => {
    await page.goto(address);
    await expect(page.locator('body')).toHaveText('/a?b=1', { timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  await expect(page).toHaveURL(`${own}/a?b=1#c`);
  const there = await attack(page, lab.origin);
  expect(there.tokens).toEqual([]);
  expect(there.terminals).toBe(0);
  expect(there.cookies).toBe('mine=1');

  await page.goto(`${lab.origin}/logout`);
  await page.goto(`${own}/x`);
  await expect(page).toHaveURL(new RegExp(`^${lab.origin}/login`));
});

test('a session waits in one cluster, and goes on to the next @live', async ({
  context,
  lab
}) => {
  const { api, origin, token } = lab;
  await api.create({ name: 'first', gpu: '4' });
  await api.reaches('first', 'running');
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/lab?token=${token}`);
  await page
    .getByRole('tab', { name: 'GPU Workspace' })
    .click({ timeout: 120_000 });
  const panel = page.locator('.jp-GpuQuota-sidebar');
  const row = (name: string) =>
    panel.getByRole('row', { name: new RegExp(`^${name},`) });

  await panel.getByRole('button', { name: 'Launch' }).first().click();
  const form = page.locator('.jp-GpuQuota-form');
  await form.getByLabel('Name').fill('patient');
  await form.getByRole('button', { name: 'Add a cluster' }).click();
  await form.getByRole('button', { name: 'Add a cluster' }).click();
  await expect(form.getByRole('combobox', { name: 'Cluster 1' })).toHaveValue(
    'lab'
  );
  await expect(form.getByRole('combobox', { name: 'Cluster 2' })).toHaveValue(
    'cloud'
  );
  await form.getByLabel('Wait in each for').fill('10m');
  const verdict = form.locator('.jp-GpuQuota-verdict');
  await expect(verdict).toContainText('lab: Will be queued');
  await expect(verdict).toContainText('Then cloud: Starts now on gpu-1');
  await form.getByRole('button', { name: 'Launch and queue' }).click();
  await expect(row('patient')).toContainText(/Goes on to cloud at/);

  // The same, but for the time that it waits.
  await api.create({
    name: 'hasty',
    gpu: '1',
    on: ['lab', 'cloud'],
    on_wait: '10s'
  });
  await expect(row('hasty')).toContainText('cloud/ml', { timeout: 120_000 });
  await expect(row('hasty')).toContainText('Running', { timeout: 120_000 });
  await row('hasty').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Show Details' }).click();
  const details = page.locator('.jp-GpuQuota-details');
  await expect(details).toContainText(/Waited \d+ s in lab; now in cloud/);
  await expect(details).toContainText('lab · 1 GPU: tried');
  await api.stop('hasty');
});
