import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import svelteConfig from './svelte.config.js'

/** Folders of each level of the house; code imports from its own level's rules below and from lower levels only. */
const LAYERS = [
  ['method'],
  ['environments', 'language-model'],
  ['weight-formats'],
  ['engines', 'storage', 'runs', 'games', 'problems', 'cluster', 'pretraining', 'bench'],
  ['playground', 'cli'],
]

/** Forbids imports of the named folders under src/ (and of workers/) in the given files. */
function noImports(files, folders, message) {
  const names = folders.map((folder) => (folder === 'workers' ? '(\\.\\./)+workers/' : `(\\.\\./)+(src/)?${folder}/`))
  return {
    files,
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex: `^(${names.join('|')})`, message }] }] },
  }
}

const boundaries = LAYERS.flatMap((folders, level) =>
  folders.map((folder) => {
    const higher = LAYERS.slice(level + 1).flat()
    const siblings = level === 3 ? [] : folders.filter((other) => other !== folder)
    const workers = level === 4 ? [] : ['workers']
    return noImports(
      [`src/${folder}/**`],
      [...higher, ...siblings, ...workers],
      'Arrows go playground, cli, workers -> engines, runs, games, problems, cluster, bench -> weight-formats -> environments, language-model -> method.',
    )
  }),
)

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
  ...boundaries,
  noImports(['workers/**'], ['playground', 'cli'], 'A worker knows neither the page nor the command line.'),
)
