import { describe, expect, it } from 'vitest'
import { codingFormats } from '../../../src/worlds/coding/roles/plain-roles.ts'
import {
  codingEnvironmentHere,
  measurePrograms,
  measureTests,
  shareAsAsked,
} from '../../../src/pretraining/coding/measure.ts'
import { measureAuthor } from '../../../src/pretraining/measure-roles.ts'
import { useShipped } from '../shipped-models.ts'

const HELD_OUT = { split: 'id', tasks: 24, programs: 8, seed: 7 } as const

describe('the shipped coding models', () => {
  const shipped = useShipped('coding', 1.5e6)

  it('have a policy that lacks knowledge: often wrong, and a lower temperature hardly helps', async () => {
    const policy = await shipped('policy')
    const measured = { split: 'id', tasks: 100, seed: 777 } as const
    const measure = (programs: number, temperature: number) =>
      measurePrograms(policy, codingEnvironmentHere(), { ...measured, programs, temperature })
    const greedy = await measure(1, 0)
    const sampled = await measure(4, 1)
    expect(greedy.strict).toBeGreaterThan(0.25)
    expect(greedy.strict).toBeLessThan(0.5)
    expect(greedy.strict - sampled.strict).toBeLessThan(0.15)
    expect(sampled.mixed).toBeGreaterThan(0.2)
    expect(sampled.malformed).toBeLessThan(0.25)
  }, 60_000)

  it('have a reward model whose tests are readable, sometimes true, and rarely detect wrong programs', async () => {
    const model = await shipped('reward')
    const { ut, detect, unreadable } = await measureTests(model, codingEnvironmentHere(), 0.6, HELD_OUT)
    expect(unreadable).toBeLessThan(0.05)
    expect(ut).toBeGreaterThan(0.2)
    expect(ut).toBeLessThan(0.7)
    expect(detect).toBeGreaterThan(0.03)
    expect(detect).toBeLessThan(0.35)
  }, 60_000)

  it('have an author whose rewrites are mostly valid', async () => {
    const { valid, proposed, rewrites } = await measureAuthor(
      await shipped('author'),
      codingEnvironmentHere(),
      codingFormats,
      {
        easier: 'wrong answer on test 3 x7; wrong answer on test 6 x5',
        harder: 'passed all tests x8',
        maxSteps: 1,
        seed: 7,
      },
    )
    expect(valid).toBeGreaterThan(0.4)
    expect(proposed).toBeGreaterThan(0.7)
    expect(shareAsAsked(rewrites)).toBeGreaterThan(0.8)
  }, 60_000)
})
