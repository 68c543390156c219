/** What the scripts of this folder share: `node SCRIPT URL TOKEN` prints JSON as its last line. */
const { chromium } = require('@playwright/test');
const { launchOptions } = require('../chromium');

const WAIT_MS = 120 * 1000;

/** Do something in a page of a browser of its own, and print what it returns. */
function browse(action) {
  const [url, token] = process.argv.slice(2);
  run(action, url, token).then(
    found => console.log(JSON.stringify(found)),
    error => {
      console.error(error);
      process.exitCode = 1;
    }
  );
}

async function run(action, url, token) {
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      extraHTTPHeaders: { Authorization: `token ${token}` }
    });
    return await action(page, url);
  } finally {
    await browser.close();
  }
}

module.exports = { WAIT_MS, browse };
