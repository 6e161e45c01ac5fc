import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { typescriptFlags } from '../../scripts/ensure.mjs'

it('checking a world that cannot be read names the file, and no option', () => {
  const command = [...typescriptFlags(), 'src/cli/check-world.ts', 'nowhere.ts']
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^nowhere\.ts cannot be read: ENOENT.*\nUsage: /)])
})
