import { expect, it } from 'vitest'
import { ArgumentError } from '../../../src/cli/arguments.ts'
import { parsePretrainArguments } from '../../../src/cli/pretrain/arguments.ts'

function complaint(...args: string[]): string {
  try {
    parsePretrainArguments(args)
  } catch (error) {
    if (error instanceof ArgumentError) return error.message
    throw error
  }
  throw new Error('Nothing was thrown.')
}

it('pretraining accepts a world', () => {
  expect(complaint('--world', 'kitchen')).toContain(
    '--world must be one of household, coding, desktop, shared, not "kitchen".',
  )
  expect(parsePretrainArguments(['--world', 'coding'])).toMatchObject({ world: 'coding', file: null })
  // Accepted: the error is about the next argument.
  expect(complaint('--world', 'coding', '--seed', 'x')).toContain('--seed must be')
})

it('pretraining plays fixed trajectories only with a policy of every strength', () => {
  expect(complaint('--trajectories')).toContain('--trajectories requires --policies weak=DIR,middling=DIR,strong=DIR.')
  expect(complaint('--policies', 'weak=a')).toContain('--policies is for --trajectories.')
  expect(complaint('--trajectories', '--policies', 'weak=a,strong=b')).toContain('--policies lacks middling=DIR.')
  expect(complaint('--trajectories', '--policies', 'weakest=a')).toContain('not "weakest"')
  const played = ['--trajectories', '--policies', 'weak=a,middling=b,strong=c']
  expect(parsePretrainArguments(played)).toMatchObject({ after: 0, policies: { strong: { folder: 'c' } } })
  expect(complaint(...played, '--role', 'reward')).toBe('--role is for training; omit it with --trajectories.')
  expect(complaint(...played, '--after', '0')).toBe('--after is for training; omit it with --trajectories.')
})

it('models that worlds share have no author and play no fixed trajectories', () => {
  expect(complaint('--world', 'shared', '--role', 'author')).toContain('The shared models have no author')
  expect(complaint('--world', 'shared', '--trajectories', '--policies', 'weak=a,middling=b,strong=c')).toContain(
    '--trajectories is for one world at a time.',
  )
  expect(parsePretrainArguments(['--world', 'shared'])!.roles).toEqual(['policy', 'reward'])
})
