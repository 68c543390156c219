/**
 * The system's Chromium. Its headless shell, which draws no windows, loads JupyterLab for half of the
 * processor time.
 */
const { accessSync, constants } = require('fs');
const { delimiter, join } = require('path');

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

/** Options of Playwright's `launch`; without a path it takes the browser that it has downloaded. */
exports.launchOptions = {
  executablePath:
    process.env.CHROMIUM ||
    which('chromium-headless-shell') ||
    which('chromium'),
  // Chromium's sandbox needs user namespaces, which root in a container does not have.
  args: process.getuid() === 0 ? ['--no-sandbox'] : []
};
