import { describe, expect, it } from 'vitest'
import { judgeSuite } from '../../src/bench/judge.ts'
import { wallClock } from '../../src/bench/repetitions.ts'
import type { Measurement } from '../../src/bench/suite.ts'
import { startThread } from '../../src/threads/node-threads.ts'
import { SupervisedJudge } from '../../src/worlds/coding/judge/supervised-judge.ts'
import { connectWorker } from '../../src/threads/worker-bridge.ts'
import type { JudgeWorker } from '../../workers/judge.ts'

describe('the judge suite', () => {
  const suite = judgeSuite({
    clock: wallClock,
    repetitions: 1,
    durationMs: 20,
    startJudge() {
      const entry = new URL('../../workers/judge.ts', import.meta.url)
      const judge = new SupervisedJudge({ startWorker: () => connectWorker<JudgeWorker>(startThread(entry), 'judge') })
      return { judge, close: () => judge.close() }
    },
  })

  it('measures the judge beside fresh contexts that agree with it, and every way to stop programs', async () => {
    const measurements: Measurement[] = []
    await suite.run({ report: (measurement) => measurements.push(measurement), progress() {} })
    const names = measurements.map(({ name, subject }) => `${name}, ${subject}`)
    expect(names.slice(0, 5)).toEqual([
      'small program × test runs, judge',
      'small program × test runs, fresh QuickJS contexts',
      'busy program × test runs, judge',
      'busy program × test runs, fresh QuickJS contexts',
      'small program × test runs through a worker, judge',
    ])
    expect(names.filter((name) => name.startsWith('until it is stopped'))).toHaveLength(11)
    for (const { name, value } of measurements) {
      expect(value, name).toBeGreaterThan(0)
      expect(value, name).toBeLessThan(Infinity)
    }
  })

  it('stops between two measurements on abort', async () => {
    const reason = new Error('enough')
    const context = { report() {}, progress() {}, signal: AbortSignal.abort(reason) }
    await expect(suite.run(context)).rejects.toBe(reason)
  })
})
