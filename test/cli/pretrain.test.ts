import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { typescriptFlags } from '../../scripts/ensure.mjs'
import { PRETRAIN_USAGE } from '../../src/cli/pretrain/arguments.ts'

function pretrain(...args: string[]) {
  const command = [...typescriptFlags(), 'src/cli/pretrain.ts', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  return [status, stdout, stderr]
}

it('pretraining ends with code 2 and its usage if an argument is wrong', () => {
  expect(pretrain('--world', 'kitchen')).toEqual([
    2,
    '',
    `--world must be one of household, coding, desktop, shared, not "kitchen".\n${PRETRAIN_USAGE}`,
  ])
})

it('names the policy of --policies that cannot be read', () => {
  const folders = 'weak=/nowhere/weak,middling=/nowhere/middling,strong=/nowhere/strong'
  expect(pretrain('--trajectories', '--policies', folders)).toEqual([
    2,
    '',
    expect.stringMatching(/^--policies weak=\/nowhere\/weak: .* cannot be read\. Check the path of the model\.\nUsage/),
  ])
})
