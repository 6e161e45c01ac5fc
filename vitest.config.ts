import { availableParallelism } from 'node:os'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

/**
 * Of every project, which inherit nothing. Milliseconds are generous: a busy machine is not a failure, and how fast something is belongs
 * to the benchmarks. The message of a failure shows 400 characters of a value; the usual 40 hide what a list holds.
 */
const SHARED = {
  testTimeout: 900_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  chaiConfig: { truncateThreshold: 400 },
}

/** Each has a Chromium of its own, and its files one after another: pages that draw side by side lose gestures and timers. */
const inBrowser = (name: string, files: string) => ({
  test: {
    name,
    environment: 'node' as const,
    pool: 'threads' as const,
    include: [files],
    globalSetup: ['test/browser/server.ts'],
    fileParallelism: false,
    ...SHARED,
  },
})

export default defineConfig({
  test: {
    // Much of what tests do is waiting: for a page, a process, a timer.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // What runs in Node, the state of the page, and pages in a real browser.
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
          ...SHARED,
        },
      },
      {
        plugins: [svelte()],
        test: {
          // What the page keeps while it is open: each file gets a page of its own.
          name: 'page',
          environment: 'node',
          pool: 'threads',
          include: ['test/playground/**/*.test.ts'],
          setupFiles: ['test/each-file.ts'],
          ...SHARED,
        },
      },
      // Walks through the page's views; and what the page stands on: models, GPU, stores, hosts and other browsers.
      inBrowser('browser', 'test/browser/page*.test.ts'),
      inBrowser('runtime', 'test/browser/!(page)*.test.ts'),
    ],
  },
})
