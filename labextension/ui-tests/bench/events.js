/**
 * Tell when the panel shows that sessions run:
 *
 *     node events.js URL TOKEN
 *
 * Each line of the input is the name of a session that is starting. `ready` is printed once its row
 * is on the screen, then, once the row says that it runs, when that was drawn, in milliseconds since
 * 1970. It ends with its input. `python -m benchmarks cluster` calls this.
 */
const readline = require('readline');
const { WAIT_MS, browse } = require('./browser');

const TAB = '.jp-SideBar .lm-TabBar-tab[data-id="jupyter-gpuquota:panel"]';
const FILTER = '.jp-GpuQuota-filter input';
const ROW = '.jp-GpuQuota-list [data-row]';

browse(async (page, url) => {
  await page.goto(`${url}/lab`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector(TAB, { timeout: WAIT_MS });
  if ((await page.getAttribute(TAB, 'aria-selected')) !== 'true') {
    await page.click(TAB);
  }
  await page.waitForSelector(ROW, { timeout: WAIT_MS });
  let count = 0;
  for await (const name of readline.createInterface({ input: process.stdin })) {
    await page.fill(FILTER, name);
    await page.waitForSelector(
      `${ROW}.jp-mod-starting[aria-label^="${name},"]`,
      {
        timeout: WAIT_MS
      }
    );
    await page.evaluate(watch, `${ROW}.jp-mod-running[aria-label^="${name},"]`);
    console.log('ready');
    await page.waitForFunction(() => window.shownAt, null, {
      timeout: WAIT_MS
    });
    console.log(await page.evaluate(() => window.shownAt));
    count += 1;
  }
  return count;
});

/** Runs in the page: note when a row has been drawn. */
function watch(row) {
  window.shownAt = 0;
  const look = new MutationObserver(() => {
    if (document.querySelector(row)) {
      look.disconnect();
      requestAnimationFrame(() => {
        window.shownAt = Date.now();
      });
    }
  });
  look.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true
  });
}
