/**
 * Stands for packages that JupyterLab's own load and no view of ours uses: forms made from JSON schemas
 * and web components. To load them takes longer than to run most suites.
 */
const stub = new Proxy(function () {}, {
  get: (target, name) =>
    name === '__esModule'
      ? true
      : name === 'prototype'
        ? target.prototype
        : stub,
  apply: () => stub,
  construct: () => ({})
});

module.exports = stub;
