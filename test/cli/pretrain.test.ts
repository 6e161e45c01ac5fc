import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { typescriptFlags } from '../../scripts/ensure.mjs'
import { PRETRAIN_USAGE } from '../../src/cli/pretrain/arguments.ts'

it('pretraining ends with code 2 and its usage if an argument is wrong', () => {
  const wrong = spawnSync(process.execPath, [...typescriptFlags(), 'src/cli/pretrain.ts', '--world', 'kitchen'], {
    encoding: 'utf8',
  })
  expect([wrong.status, wrong.stdout, wrong.stderr]).toEqual([
    2,
    '',
    `--world must be one of household, coding, desktop, shared, not "kitchen".\n${PRETRAIN_USAGE}`,
  ])
})
