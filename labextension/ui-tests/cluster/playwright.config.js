/**
 * The browser tests of a cluster: like the others, from the scripts in this folder, on the cluster of
 * KUBECONFIG. `tests/cluster/test_browser.py` starts them.
 */
const { join } = require('path');
const base = require('../playwright.config.js');

module.exports = {
  ...base,
  testDir: __dirname,
  // The other browser tests may run meanwhile, and keep there which of them failed.
  outputDir: join(process.env.REPORTS, 'test-results'),
  workers: 1,
  // Of a busy machine: a page of JupyterLab comes over a port-forward, request by request.
  timeout: 600 * 1000,
  reporter: [['list']],
  // Others use the cluster, too.
  use: { ...base.use, isOwn: false },
  webServer: { ...base.webServer[0], cwd: `${__dirname}/..` }
};
