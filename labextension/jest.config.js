const jupyterlabConfig = require('@jupyterlab/testutils/lib/jest-config');

// Packages on the way to JupyterLab that ship ES modules only: babel turns them for jest.
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
  setupFilesAfterEnv: [
    ...(base.setupFilesAfterEnv ?? []),
    '<rootDir>/jest.setup.js'
  ],
  // A form that is typed into takes seconds where other tests run at once.
  testTimeout: 60000,
  testRegex:
    'src/.*/__tests__/.*\\.spec\\.tsx?$|src/__tests__/.*\\.spec\\.tsx?$',
  transformIgnorePatterns: [`/node_modules/(?!(${esModules})).+`]
};
