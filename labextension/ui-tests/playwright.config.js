/**
 * Browser tests: Galata's helpers, a JupyterLab of our own on a free port, and the system's
 * Chromium where there is one (else the one that Playwright has downloaded).
 */
const { execFileSync } = require('child_process');
const { accessSync, constants } = require('fs');
const { delimiter, join, resolve } = require('path');
const baseConfig = require('@jupyterlab/galata/lib/playwright-config');

const REPORTS = process.env.REPORTS || resolve(__dirname, '../../reports');

/** A free port, as the operating system picks it. This file is read synchronously. */
function freePort() {
  const script = `const server = require('net').createServer();
    server.listen(0, '127.0.0.1', () => {
      console.log(server.address().port);
      server.close();
    });`;
  return execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf-8'
  }).trim();
}

/** The path of a program, or undefined. */
function which(program) {
  return process.env.PATH.split(delimiter)
    .map(folder => join(folder, program))
    .find(path => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

// Workers read this file again: they must arrive at the port of the first reading.
process.env.GPUQUOTA_UI_PORT = process.env.GPUQUOTA_UI_PORT || freePort();
const url = `http://127.0.0.1:${process.env.GPUQUOTA_UI_PORT}`;

module.exports = {
  ...baseConfig,
  testDir: 'tests',
  workers: 1,
  forbidOnly: !!process.env.CI,
  timeout: 180 * 1000,
  expect: { timeout: 30 * 1000 },
  reporter: [['list'], ['junit', { outputFile: join(REPORTS, 'browser.xml') }]],
  use: {
    ...baseConfig.use,
    baseURL: url,
    video: 'off',
    trace: 'off',
    screenshot: 'only-on-failure',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.CHROMIUM || which('chromium'),
      // Chromium's sandbox needs user namespaces, which root in a container does not have.
      args: process.getuid() === 0 ? ['--no-sandbox'] : []
    }
  },
  webServer: {
    command: `python serve.py ${process.env.GPUQUOTA_UI_PORT}`,
    url: `${url}/lab`,
    timeout: 180 * 1000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 60 * 1000 }
  }
};
