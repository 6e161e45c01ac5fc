import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import { oneWay } from './scripts/lint/floors.mjs'
import svelteConfig from './svelte.config.js'

export default ts.config(
  {
    ignores: [
      'node_modules/',
      'dist/',
      'coverage/',
      '.cache/',
      'public/',
      '**/*.generated.ts',
      '**/assembly/**',
      'experiments/results/',
    ],
  },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: { ...globals.browser, ...globals.node, ...globals.worker },
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.svelte'] },
    },
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
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  { files: ['**/*.mjs', '**/*.js'], ...ts.configs.disableTypeChecked },
  { files: ['src/cli/**', 'scripts/**'], rules: { 'no-console': 'off' } },
  {
    // The method is arithmetic over ports: no page, clock, network, or chance that a seed does not give.
    files: ['src/method/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...[
          'window',
          'document',
          'navigator',
          'self',
          'fetch',
          'Worker',
          'performance',
          'Date',
          'setTimeout',
          'process',
        ],
      ],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'Draw from a seed.' }],
    },
  },
  {
    files: ['src/**', 'workers/**'],
    plugins: { house: { rules: { 'one-way': oneWay } } },
    rules: { 'house/one-way': 'error' },
  },
)
