import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import typescript from 'typescript-eslint';

/** Which layers each layer of `src` must not know: plugins > views > state > api. */
const LAYERS = {
  api: ['plugins', 'views', 'state'],
  state: ['plugins', 'views'],
  views: ['plugins'],
  plugins: []
};

const layerRules = Object.entries(LAYERS).map(([layer, above]) => ({
  files: [`src/${layer}/**`],
  ignores: ['src/**/__tests__/**'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: above.map(name => ({
          group: [`../${name}/*`],
          message: `${layer} stands below ${name}.`
        })),
        paths:
          layer === 'api'
            ? []
            : [
                {
                  name: '@jupyterlab/services',
                  importNames: ['ServerConnection'],
                  message: 'Only src/api speaks to the server.'
                }
              ]
      }
    ]
  }
}));

/** Openings of a comment that say what an instance does to itself instead of what it is. */
const OPENING = /^\*\s*\*?\s*(Be|Tell|Say)\b/;

/** Comments on declarations say what the thing is, or what the function returns or does. */
const plainOpenings = {
  meta: { type: 'suggestion', schema: [] },
  create: context => ({
    Program() {
      context.sourceCode
        .getAllComments()
        .filter(({ type, value }) => type === 'Block' && OPENING.test(value))
        .forEach(({ loc }) =>
          context.report({
            loc,
            message:
              'Begin with what it is (“One GPU.”) or does (“Return …”), not with Be, Tell or Say.'
          })
        );
    }
  })
};

export default defineConfig([
  {
    ignores: [
      '**/*.js',
      '**/*.mjs',
      '**/*.d.ts',
      'coverage',
      'lib',
      'node_modules',
      'src/api/messages',
      'src/api/models.ts',
      'src/api/routes.ts',
      'ui-tests/node_modules'
    ]
  },
  js.configs.recommended,
  typescript.configs.recommended,
  { plugins: { jupyter } },
  jupyter.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { comments: { rules: { opening: plainOpenings } } },
    rules: { 'comments/opening': 'error' }
  },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { project: 'tsconfig.test.json' }
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: false }
      ],
      '@typescript-eslint/no-namespace': 'off', // JupyterLab keeps a class and its options together so
      // The state is there from the start; what shows it is loaded when it is first seen.
      'jupyter/prefer-lazy-imports': [
        'warn',
        {
          ignoreImports: [
            '../state/**',
            '../../state/**',
            '../views/idle/texts',
            '../views/panel/sections',
            '../views/parts/texts',
            '../views/parts/report',
            '../../views/parts/report',
            './places',
            './sessioncommands',
            './single',
            './whenneeded',
            '../whenneeded',
            './viewer'
          ]
        }
      ],
      'max-lines': ['error', { max: 300 }],
      curly: 'error',
      eqeqeq: 'error',
      'prefer-arrow-callback': ['error', { allowNamedFunctions: true }]
    }
  },
  ...layerRules,
  {
    files: ['src/**/__tests__/**'],
    languageOptions: {
      globals: { ...globals.browser, ...globals.jest, ...globals.node }
    },
    // What a test's server says is not ours to translate.
    rules: { 'jupyter/no-untranslated-string': 'off' }
  },
  {
    files: ['ui-tests/**/*.ts'],
    languageOptions: { globals: globals.node }
  },
  prettier
]);
