import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { freePort, ILab, withLab } from './ownlab';

const test = withLab('jupyter_server_hosts_config.py');

/** Its tests load JupyterLab several times. */
test.describe.configure({ timeout: 240_000 });

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
  await page.goto(`${lab.origin}/lab?token=${lab.token}`);
  await page.locator('#jp-main-dock-panel').waitFor();
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
  await lab.api.clear();
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
  await page.goto(`${lab.origin}/lab?token=${lab.token}`);
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
  await lab.api.clear();
});
