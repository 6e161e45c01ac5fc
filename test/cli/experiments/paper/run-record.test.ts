import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { LoggedBody } from '../../../../src/method/events.ts'
import { RunMeasurer } from '../../../../src/cli/experiments/paper/measure-run.ts'
import { atRollouts, evaluated, recordSchema } from '../../../../src/cli/experiments/paper/run-record.ts'
import { accuracies, madeUpRecord } from './made-up-records.ts'

const finished = (metrics: Record<string, number>): LoggedBody => ({ type: 'iteration-finished', metrics })
const evaluation = (acc: number): LoggedBody => ({
  type: 'evaluation',
  split: 'id',
  ...{ policyVersion: 0, acc, episodes: 10, temperature: 0 },
})

describe('the numbers of a run', () => {
  it('are read as they were written, and as earlier versions wrote them', () => {
    const record = madeUpRecord({ commits: ['a', 'b'] })
    expect(v.parse(recordSchema, JSON.parse(JSON.stringify(record)))).toEqual(record)
    const { commits: _commits, measures: _measures, ...rest } = record
    expect(v.parse(recordSchema, { ...rest, commit: 'a' })).toEqual({ ...rest, commits: ['a'] })
    expect(v.is(recordSchema, rest)).toBe(false)
  })

  it('are those of its evaluations, its last iteration, and its first and last fifth', () => {
    const measurer = new RunMeasurer()
    let seq = 0
    const take = (iteration: number, body: LoggedBody) => measurer.take({ ...body, seq: seq++, iteration })
    take(0, evaluation(0.4))
    for (let i = 1; i <= 10; i++) {
      if (i === 10) take(i, evaluation(0.6))
      take(i, finished({ 'policy/acc': i / 10, 'rollout/total': 32 * i }))
    }
    const { evaluations, last, early, late, mean } = measurer.result()
    expect(evaluations).toEqual([
      { iteration: 0, values: { 'eval/id/acc': 0.4 } },
      { iteration: 10, values: { 'eval/id/acc': 0.6, 'rollout/total': 320 } },
    ])
    expect(last['policy/acc']).toBe(1)
    expect(early['policy/acc']).toBe(0.15)
    expect(late['policy/acc']).toBe(0.95)
    expect(mean['policy/acc']).toBe(0.55)
  })

  it('are interpolated at a number of rollouts, and unknown beyond the last', () => {
    const run = madeUpRecord({ evaluations: accuracies(0.2, 0.6, 200) })
    expect(atRollouts(run, 'eval/id/acc', 0)).toBeCloseTo(0.2, 12)
    expect(atRollouts(run, 'eval/id/acc', 50)).toBeCloseTo(0.3, 12)
    expect(atRollouts(run, 'eval/id/acc', 200)).toBeCloseTo(0.6, 12)
    expect(atRollouts(run, 'eval/id/acc', 201)).toBeNull()
    expect(atRollouts(run, 'eval/ood/acc', 10)).toBeNull()
    expect(evaluated(run, 'eval/id/acc', -1)).toBe(0.6)
  })
})
