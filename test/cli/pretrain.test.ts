import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { typescriptFlags } from '../../scripts/ensure.mjs'

const pretrain = (...args: string[]) =>
  spawnSync(process.execPath, [...typescriptFlags(), 'src/cli/pretrain.ts', ...args], { encoding: 'utf8' })

it('pretraining accepts the world by its current and its former option', { timeout: 60_000 }, () => {
  for (const flag of ['--world', '--setting']) {
    const wrong = pretrain(flag, 'kitchen')
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('--world must be one of household, coding, desktop, not "kitchen".')
    // Accepted: the error is about the next argument.
    expect(pretrain(flag, 'coding', '--seed', 'x').stderr).toContain('--seed must be')
  }
})

it('pretraining plays fixed trajectories only with a policy of every strength', { timeout: 60_000 }, () => {
  const refused = (...args: string[]) => {
    const { status, stderr } = pretrain(...args)
    expect(status).toBe(2)
    return stderr
  }
  expect(refused('--trajectories')).toContain('--trajectories requires --policies weak=DIR,middling=DIR,strong=DIR.')
  expect(refused('--policies', 'weak=a')).toContain('--policies is for --trajectories.')
  expect(refused('--trajectories', '--policies', 'weak=a,strong=b')).toContain('--policies lacks middling=DIR.')
  expect(refused('--trajectories', '--policies', 'weakest=a')).toContain('not "weakest"')
})
