import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { nodeArguments } from '../../../scripts/run.mjs'

describe('npm run bench', () => {
  it.each(['cores', 'train'])('refuses to measure %s in a place that it does not know', (suite) => {
    const ran = spawnSync(process.execPath, nodeArguments('src/cli/bench.ts', ['--suite', suite, '--in', 'foo']), {
      encoding: 'utf8',
    })
    expect(ran.status).toBe(2)
    expect(ran.stderr).toMatch(/^--in must be one of node, chromium, not "foo"\./)
  })
})
