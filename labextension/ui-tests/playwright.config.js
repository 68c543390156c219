/**
 * Browser tests: Galata's helpers, a JupyterLab of its own for each worker, on a free port, and
 * Chromium.
 *
 * Files run in parallel, the tests of a file in order, all of a worker in one page. A test clears the
 * server and puts the page back before it begins, so none needs to clean up.
 *
 * `@all` marks what differs from another test by the theme only: `--grep-invert @all` leaves it out.
 * What runs in sessions (their pages, logs and ends) is for tests tagged `@live`. All others do with
 * any backend: `JUPYTER_GPUQUOTA_BACKEND=memory jlpm test --grep-invert @live`.
 */
const { execFileSync } = require('child_process');
const { join, resolve } = require('path');
const baseConfig = require('@jupyterlab/galata/lib/playwright-config');
const { launchOptions } = require('./chromium');

const REPORTS = process.env.REPORTS || resolve(__dirname, '../../reports');

/** Free ports, separated by commas. This file is read synchronously. */
function freePorts(count) {
  const script = `from scripts.ports import free_ports
print(*free_ports(range(${count})).values(), sep=",")`;
  const cwd = resolve(__dirname, '../..');
  const options = { cwd, encoding: 'utf-8' };
  return execFileSync('python', ['-c', script], options).trim();
}

/** As many as the least machine that we think of has cores. */
const WORKERS = 2;

// Workers read this file again: they must arrive at the ports of the first reading.
process.env.GPUQUOTA_UI_PORTS ||= freePorts(WORKERS);
const servers = process.env.GPUQUOTA_UI_PORTS.split(',').map(
  port => `http://127.0.0.1:${port}`
);

module.exports = {
  ...baseConfig,
  testDir: 'tests',
  workers: WORKERS,
  forbidOnly: !!process.env.CI,
  // What a quiet machine does in seconds; on one with other work it may take many times as long.
  timeout: 240 * 1000,
  expect: { timeout: 60 * 1000 },
  reporter: [['list'], ['junit', { outputFile: join(REPORTS, 'browser.xml') }]],
  use: {
    ...baseConfig.use,
    servers,
    video: 'off',
    trace: 'off',
    screenshot: 'only-on-failure',
    viewport: { width: 1280, height: 800 },
    launchOptions
  },
  webServer: servers.map((url, index) => ({
    command: `python serve.py ${new URL(url).port} 2> "${join(REPORTS, `jupyter-${index + 1}.log`)}"`,
    url: `${url}/lab`,
    timeout: 180 * 1000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 60 * 1000 }
  }))
};
