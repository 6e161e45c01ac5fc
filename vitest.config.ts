import { availableParallelism } from 'node:os'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

/** Milliseconds. Generous: a busy machine is not a failure, and how fast something is belongs to the benchmarks. */
const PATIENCE = { testTimeout: 900_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } }

export default defineConfig({
  test: {
    // Much of what tests do is waiting: for a page, a process, a timer.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Projects inherit nothing from here: what runs in Node, the state of the page, and pages in a real browser.
    projects: [
      {
        plugins: [svelte()],
        test: {
          name: 'unit',
          environment: 'node',
          // Processes, because some tests measure memory and processor time of their own. Half of the time goes into importing
          // the same modules for each file, so files share a process, which leaves nothing behind (test/each-file.ts).
          pool: 'forks',
          isolate: false,
          // Without an exclude of its own, so that --exclude works.
          include: ['test/*.test.ts', 'test/!(browser|playground)/**/*.test.ts'],
          setupFiles: ['test/each-file.ts'],
          ...PATIENCE,
        },
      },
      {
        plugins: [svelte()],
        test: {
          // What the page keeps while it is open: each file gets a page of its own.
          name: 'page',
          environment: 'node',
          pool: 'forks',
          include: ['test/playground/**/*.test.ts'],
          setupFiles: ['test/each-file.ts'],
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'browser',
          environment: 'node',
          pool: 'threads',
          include: ['test/browser/*.test.ts'],
          globalSetup: ['test/browser/server.ts'],
          // Pages that draw side by side on two cores lose gestures and timers to one another.
          fileParallelism: false,
          ...PATIENCE,
        },
      },
    ],
  },
})
