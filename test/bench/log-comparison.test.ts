import { describe, expect, it } from 'vitest'
import { compareLogs } from '../../src/bench/log-comparison.ts'
import type { LoggedEvent } from '../../src/method/events.ts'

const updated = (gradNorm: number, trainedTokens: number): LoggedEvent =>
  ({
    type: 'model-updated',
    role: 'policy',
    version: 1,
    examples: 2,
    metrics: { grad_norm: gradNorm, trainedTokens },
    runId: 'run',
    seq: 0,
    iteration: 1,
  }) as unknown as LoggedEvent

describe('compareLogs', () => {
  it('allows rounding differences and other cuts of a batch', () => {
    expect(compareLogs([updated(0.50001, 90)], [updated(0.5, 100)], 1e-3)).toEqual({ equal: 1, first: null })
  })

  it('names the first larger difference', () => {
    const { equal, first } = compareLogs([updated(0.5, 1), updated(0.6, 1)], [updated(0.5, 1), updated(0.5, 1)], 1e-3)
    expect(equal).toBe(0.5)
    expect(first).toBe('model-updated.metrics.grad_norm: 0.6 beside 0.5')
  })

  it('counts events that only one log has', () => {
    expect(compareLogs([], [updated(1, 1)], 1e-3).equal).toBe(0)
    expect(compareLogs([], [], 1e-3).equal).toBe(1)
  })
})
