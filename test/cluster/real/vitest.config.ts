import { defineConfig } from 'vitest/config'

/** Tests against real servers, which scripts/test-cluster.mjs starts. Files run one after another, because they share the servers. */
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
