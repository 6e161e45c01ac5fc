/** For components alone: Oxlint reads everything else, much faster (.oxlintrc.json). */
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import house from './scripts/lint/house-rules.mjs'
import svelteConfig from './svelte.config.js'

const COMPONENTS = ['**/*.svelte', '**/*.svelte.ts']

export default ts.config(
  { ignores: ['dist/', '.cache/', '**/*.{js,mjs,ts}', '!**/*.svelte.ts'] },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  ...svelte.configs.recommended,
  {
    files: COMPONENTS,
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        parser: ts.parser,
        svelteConfig,
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    plugins: { house },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // A port is asynchronous because it may live in a worker; an implementation that need not wait is no mistake.
      '@typescript-eslint/require-await': 'off',
      // Ports and options are plain objects of functions; they are taken apart freely.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'no-console': 'error',
      eqeqeq: 'error',
      'house/one-way': 'error',
    },
  },
  // Oxlint checks the types of these, too.
  { files: ['**/*.svelte.ts'], ...ts.configs.disableTypeChecked },
)
