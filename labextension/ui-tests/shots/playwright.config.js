/** The screenshots of the docs: like the browser tests, from the scripts in this folder. */
const base = require('../playwright.config.js');

module.exports = {
  ...base,
  testDir: __dirname,
  testMatch: '*.shots.ts',
  reporter: [['list']],
  webServer: {
    ...base.webServer,
    cwd: `${__dirname}/..`
  }
};
