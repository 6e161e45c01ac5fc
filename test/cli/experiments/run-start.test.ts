import { describe, expect, it } from 'vitest'
import { armOf } from '../../../src/cli/experiments/run-start.ts'
import { runStarted } from './run-started.ts'

describe('the arm of a run', () => {
  it('is the same for other seeds and measurements', () => {
    const arms = [{}, { seed: 3 }, { evaluateEvery: 40, evaluationTasks: 9, judgeTasks: 1 }].map((changed) =>
      armOf([runStarted('household+full', changed)]),
    )
    expect(new Set(arms)).toEqual(new Set(['household+full, 0 iterations']))
  })

  it('is another one for other settings, models and lengths', () => {
    expect(armOf([runStarted('household+full', { lambda: 5, voteFlips: 0.2 })])).toBe(
      'household+full, lambda 5, voteFlips 0.2, 0 iterations',
    )
    const events = [runStarted('household', {}, { reward: 'household-reward-early' })]
    expect(armOf(events)).toBe('household, reward household-reward-early, 0 iterations')
    const last = { type: 'settings-changed', patch: {}, seq: 1, iteration: 7 } as const
    expect(armOf([...events, last])).toBe('household, reward household-reward-early, 7 iterations')
  })
})
