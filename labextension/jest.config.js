const { homedir } = require('os');
const { join } = require('path');
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

const CACHE = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');

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
  // What is compiled is the same in each checkout: a fresh one finds it under this name.
  id: 'jupyter_gpuquota',
  cacheDirectory: join(CACHE, 'jupyter_gpuquota', 'jest'),
  // Each loads all that the suites share: more than there are cores in the least machine cost time.
  maxWorkers: process.env.JEST_WORKERS || 2,
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
  moduleNameMapper: {
    ...base.moduleNameMapper,
    '^(@rjsf/(core|utils|validator-ajv8)|@jupyter/web-components)$':
      '<rootDir>/jest.stub.js',
    '^@jupyter/react-components$': '<rootDir>/jest.components.js'
  },
  setupFiles: ['<rootDir>/jest.page.js', ...base.setupFiles],
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
