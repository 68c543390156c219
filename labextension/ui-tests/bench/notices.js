/**
 * Tell how long after the API says that an idle session's owner is warned a page shows it:
 *
 *     node notices.js URL TOKEN
 *
 * The last line printed is JSON: milliseconds, one for each session. Idleness is hurried and the
 * panel is closed. `python -m benchmarks notices` calls this.
 */
const { WAIT_MS, browse } = require('./browser');

const SESSIONS = 8;
const RULES = { idle_timeout: '11m', warn_before: '7m', cpu_busy: 90 };
/** Between two questions to the API, which bounds what can be told. */
const PAUSE_MS = 5;

browse(async (page, url) => {
  const api = `${url}/gpuquota/api`;
  await page.goto(`${url}/lab`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('[data-id="jupyter-gpuquota:panel"]', {
    timeout: WAIT_MS
  });
  const { revision } = await ask(page, 'get', `${api}/policy`);
  const levels = [{ level: 'everyone', rules: RULES }];
  await ask(page, 'put', `${api}/policy`, { levels, revision });
  const found = [];
  for (let index = 0; index < SESSIONS; index++) {
    found.push(await warn(page, api, `idle-${index}`));
  }
  return found;
});

/** Let one session become idle. */
async function warn(page, api, name) {
  const { id } = await ask(page, 'post', `${api}/sessions`, {
    name,
    project: 'team-a',
    kind: 'interactive',
    gpu: '0.5',
    command: ['sleep', '1000']
  });
  await page.evaluate(watch, name);
  let session;
  do {
    await page.waitForTimeout(PAUSE_MS);
    session = await ask(page, 'get', `${api}/sessions/${id}`);
  } while (!(session.idle && session.idle.warned));
  const told = Date.now();
  await page.waitForFunction(() => window.shownAt, null, { timeout: WAIT_MS });
  const shown = await page.evaluate(() => window.shownAt);
  await ask(page, 'post', `${api}/sessions/${id}/stop`);
  return shown - told;
}

/** Runs in the page: note when it names a session in a notice. */
function watch(name) {
  window.shownAt = 0;
  const look = new MutationObserver(() => {
    const toasts = [...document.querySelectorAll('.Toastify__toast')];
    if (
      toasts.some(toast => toast.textContent.startsWith(`${name} suspends`))
    ) {
      window.shownAt = Date.now();
      look.disconnect();
    }
  });
  look.observe(document.body, { subtree: true, childList: true });
}

async function ask(page, method, address, data) {
  const answer = await page.request[method](address, { data });
  if (!answer.ok()) {
    throw new Error(`${method} ${address}: ${await answer.text()}`);
  }
  return answer.json();
}
