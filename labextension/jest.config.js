const jupyterlabConfig = require('@jupyterlab/testutils/lib/jest-config');

// Packages on the way to JupyterLab that ship ES modules only: they are turned for jest.
const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@microsoft/',
  '@rjsf/',
  'exenv-es6',
  'lib0',
  'nanoid',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

const base = jupyterlabConfig(__dirname);

// Types are checked once, by `jlpm typecheck`: here they are only removed, and modules become those of
// Node. SWC takes a seventh of the time of ts-jest and babel.
const compile = {
  jsc: {
    target: 'es2020',
    transform: { react: { runtime: 'classic' } }
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline'
};
const typescript = { syntax: 'typescript', tsx: true };

module.exports = {
  ...base,
  automock: false,
  coverageReporters: ['text-summary'],
  reporters: [
    'default',
    [
      'jest-junit',
      {
        outputDirectory: process.env.REPORTS || '../reports',
        outputName: 'frontend.xml'
      }
    ]
  ],
  setupFilesAfterEnv: ['<rootDir>/jest.setup.js'],
  // A form that is typed into takes seconds where other tests run at once.
  testTimeout: 240000,
  testRegex:
    'src/.*/__tests__/.*\\.spec\\.tsx?$|src/__tests__/.*\\.spec\\.tsx?$',
  transform: {
    '\\.svg$': base.transform['\\.svg$'],
    '^.+\\.tsx?$': [
      '@swc/jest',
      { ...compile, jsc: { ...compile.jsc, parser: typescript } }
    ],
    '^.+\\.m?jsx?$': ['@swc/jest', compile]
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules})).+`]
};
