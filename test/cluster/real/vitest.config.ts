import { defineConfig } from 'vitest/config'

/** Tests against real servers, which scripts/test-cluster.mjs starts: one file after the other, because they share them. */
export default defineConfig({
  test: {
    name: 'cluster',
    environment: 'node',
    include: ['test/cluster/real/**/*.real.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
