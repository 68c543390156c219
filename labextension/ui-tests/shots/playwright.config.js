/** The screenshots of the docs: like the browser tests, from the scripts in this folder. */
const base = require('../playwright.config.js');

module.exports = {
  ...base,
  testDir: __dirname,
  testMatch: '*.shots.ts',
  reporter: [['list']],
  workers: 1,
  // Pictures are taken with styles of their own.
  use: { ...base.use, fresh: true },
  webServer: {
    ...base.webServer[0],
    cwd: `${__dirname}/..`
  }
};
