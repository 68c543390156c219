/**
 * Watch JupyterLab's main thread while the panel shows very many sessions:
 *
 *     node panel.js URL TOKEN
 *
 * The last line printed is JSON: for each phase its frames, and its long tasks with the part of
 * each during which our code was on the stack. `python -m benchmarks panel` calls this.
 */
const { WAIT_MS, browse } = require('./browser');

/** How the scripts of our front end are told from everyone else's. */
const OURS = '/lab/extensions/jupyter-gpuquota/';
const TAB = '.jp-SideBar .lm-TabBar-tab[data-id="jupyter-gpuquota:panel"]';
const FILES_TAB = '.jp-SideBar .lm-TabBar-tab[data-id="filebrowser"]';
const LIST = '.jp-GpuQuota-list';
const FILES = '.jp-DirListing-content';
const ROW = `${LIST} [data-row]`;
const DASHBOARD = '.jp-GpuQuota-dashboard';
const SCROLL_SECONDS = 4;
const SETTLE_MS = 1500;
/** In microseconds: fine enough to tell who a task of 50 ms belongs to. */
const SAMPLING = 500;

browse(async (page, url) => {
  const watch = await Watch.begin(page);
  await run(page, watch, url);
  return watch.end();
});

/** Go through the phases, each begun when the one before has settled. */
async function run(page, watch, url) {
  await watch.phase('JupyterLab starts', async () => {
    await page.goto(`${url}/lab/tree/many`, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector(TAB, { timeout: WAIT_MS });
    await page.waitForSelector(
      `${FILES} .jp-DirListing-item:has-text("file-")`,
      {
        state: 'attached',
        timeout: WAIT_MS
      }
    );
  });
  await watch.phase('the file browser scrolls', async () => {
    await activate(page, FILES_TAB);
    return scroll(page, FILES);
  });
  await watch.phase('the panel opens', async () => {
    await activate(page, TAB);
    await page.waitForSelector(ROW, { timeout: WAIT_MS });
  });
  await watch.phase('the panel scrolls', () => scroll(page, LIST));
  await watch.phase('a session appears', async () => {
    await page.evaluate(top, LIST);
    await change(page, url);
  });
  await watch.phase('the dashboard opens', async () => {
    await page.click('.jp-GpuQuota-team button:has-text("Dashboard")');
    await page.waitForSelector(`${DASHBOARD} tbody tr:visible`, {
      timeout: WAIT_MS
    });
  });
}

/** Show the side panel of a tab. */
async function activate(page, tab) {
  const current = await page.getAttribute(tab, 'aria-selected');
  if (current !== 'true') {
    await page.click(tab);
  }
}

/** Ask for one more session, and wait until the list counts it. */
async function change(page, url) {
  const count = () =>
    page.getAttribute(LIST, 'aria-rowcount').then(text => Number(text));
  const before = await count();
  const answer = await page.request.post(`${url}/gpuquota/api/sessions`, {
    data: {
      name: `one-more-${Date.now()}`,
      project: 'team-a',
      kind: 'interactive',
      gpu: '0.5',
      command: ['sleep', '1000']
    }
  });
  if (!answer.ok()) {
    throw new Error(`no session was made: ${await answer.text()}`);
  }
  await page.waitForFunction(
    ([list, wanted]) =>
      Number(document.querySelector(list).getAttribute('aria-rowcount')) >=
      wanted,
    [LIST, before + 1],
    { timeout: WAIT_MS }
  );
}

/** Scroll as fast as frames come, there and back, and return when each was drawn. */
function scroll(page, selector) {
  return page.evaluate(
    ([list, seconds]) =>
      new Promise((resolve, reject) => {
        // Whichever part of it scrolls.
        const all = [...document.querySelectorAll(`${list}, ${list} *`)];
        let box = all.find(node => node.scrollHeight > node.clientHeight + 999);
        for (
          let node = document.querySelector(list);
          !box && node;
          node = node.parentElement
        ) {
          box = node.scrollHeight > node.clientHeight + 999 ? node : null;
        }
        if (!box) {
          reject(new Error(`nothing scrolls in ${list}`));
          return;
        }
        const frames = [];
        let step = 40;
        const draw = time => {
          frames.push(time);
          if (time - frames[0] > seconds * 1000) {
            resolve(frames);
            return;
          }
          const before = box.scrollTop;
          box.scrollTop = before + step;
          if (box.scrollTop === before) {
            step = -step;
          }
          requestAnimationFrame(draw);
        };
        requestAnimationFrame(draw);
      }),
    [selector, SCROLL_SECONDS]
  );
}

/** Runs in the page: go back to the first row. */
function top(list) {
  document.querySelector(list).scrollTop = 0;
}

/** Follows long tasks, and by a sampling profiler whose they were. */
class Watch {
  static async begin(page) {
    await page.addInitScript(() => {
      window.longTasks = [];
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) {
          window.longTasks.push([entry.startTime, entry.duration]);
        }
      }).observe({ type: 'longtask', buffered: true });
    });
    const protocol = await page.context().newCDPSession(page);
    await protocol.send('Performance.enable');
    await protocol.send('Profiler.enable');
    await protocol.send('Profiler.setSamplingInterval', { interval: SAMPLING });
    await protocol.send('Profiler.start');
    return new Watch(page, protocol);
  }

  constructor(page, protocol) {
    this.page = page;
    this.protocol = protocol;
    this.phases = [];
  }

  /** Do something, let it settle, and note when that was. Frames may be what it returns. */
  async phase(name, action) {
    const start = await this.now();
    const frames = (await action()) || [];
    const done = await this.now();
    await this.page.waitForTimeout(SETTLE_MS);
    const end = await this.now();
    this.phases.push({ name, start, end, took: done - start, frames });
  }

  /** Milliseconds since navigation; 0 before there is a page. */
  async now() {
    return this.phases.length || this.page.url() !== 'about:blank'
      ? this.page.evaluate(() => performance.now())
      : 0;
  }

  /** Stop watching and sum up. */
  async end() {
    const { profile } = await this.protocol.send('Profiler.stop');
    const { metrics } = await this.protocol.send('Performance.getMetrics');
    const zero = metrics.find(({ name }) => name === 'NavigationStart').value;
    const samples = ourSamples(profile, zero * 1e6);
    const tasks = await this.page.evaluate(() => window.longTasks);
    return this.phases.map(({ name, start, end, took, frames }) => ({
      name,
      took,
      frames,
      tasks: tasks
        .filter(([begun]) => begun >= start && begun < end)
        .map(([begun, ms]) => ({ ms, ours: within(samples, begun, ms) }))
    }));
  }
}

/** The samples with our code on the stack: when in ms since navigation, and how long. */
function ourSamples(profile, zero) {
  const ours = new Set();
  const nodes = new Map(profile.nodes.map(node => [node.id, node]));
  const visit = (node, above) => {
    const mine = above || node.callFrame.url.includes(OURS);
    if (mine) {
      ours.add(node.id);
    }
    (node.children || []).forEach(id => visit(nodes.get(id), mine));
  };
  visit(profile.nodes[0], false);
  const found = [];
  let time = profile.startTime;
  profile.samples.forEach((id, index) => {
    time += profile.timeDeltas[index];
    if (ours.has(id)) {
      const ms = (profile.timeDeltas[index + 1] || 0) / 1000;
      found.push([(time - zero) / 1000, ms]);
    }
  });
  return found;
}

/** The sum of samples inside a task. */
function within(samples, begun, ms) {
  return samples
    .filter(([at]) => at >= begun && at < begun + ms)
    .reduce((sum, [, spent]) => sum + spent, 0);
}
