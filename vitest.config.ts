import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

/** Milliseconds. Generous: a busy machine is not a failure, and how fast something is belongs to the benchmarks. */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

export default defineConfig({
  test: {
    // Two projects, which inherit nothing from here: everything that runs in Node, and pages in a real browser, one after another.
    projects: [
      {
        plugins: [svelte()],
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**'],
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'browser',
          environment: 'node',
          include: ['test/browser/*.test.ts'],
          globalSetup: ['test/browser/server.ts'],
          fileParallelism: false,
          ...PATIENCE,
        },
      },
    ],
  },
})
