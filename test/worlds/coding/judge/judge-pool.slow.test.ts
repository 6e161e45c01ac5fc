import { afterEach, describe, expect, it, vi } from 'vitest'
import { JudgePool } from '../../../../src/worlds/coding/judge/judge-pool.ts'
import { SupervisedJudge } from '../../../../src/worlds/coding/judge/supervised-judge.ts'
import type { Judge } from '../../../../src/worlds/coding/judge/judge.ts'
import { DEFAULT_LIMITS, type JudgeJob } from '../../../../src/worlds/coding/judge/verdict.ts'
import type { WorkerLostError } from '../../../../src/threads/errors.ts'
import { startThread } from '../../../../src/threads/node-threads.ts'
import { connectWorker } from '../../../../src/threads/worker-bridge.ts'

const ENTRIES = {
  judge: new URL('../../../../workers/judge.ts', import.meta.url),
  fragile: new URL('./fixtures/fragile-judge.ts', import.meta.url),
}

const job = (source: string, functionName = 'f'): JudgeJob => ({
  source,
  tests: [{ kind: 'call', functionName, arguments: [20], expected: 42 }],
  limits: { ...DEFAULT_LIMITS, executedMs: 50 },
})

const returns = (value: number) => job(`const f = () => ${value}`)

describe('judges side by side', () => {
  let pool: JudgePool
  const onLoss = vi.fn<(loss: WorkerLostError) => void>()
  const startWorker = vi.fn<(entry: URL) => ReturnType<typeof connectWorker<Judge>>>((entry) =>
    connectWorker<Judge>(startThread(entry), 'judge'),
  )
  const open = (count: number, entry: keyof typeof ENTRIES = 'judge') => {
    const start = () => new SupervisedJudge({ startWorker: () => startWorker(ENTRIES[entry]), onLoss })
    return (pool = new JudgePool(Array.from({ length: count }, start)))
  }
  afterEach(() => {
    pool.close()
    vi.clearAllMocks()
  })

  it('give the verdicts of one judge, in the order of the programs', async () => {
    const jobs = [
      ...Array.from({ length: 20 }, (_, index) => returns(32 + index)),
      job('const f = () => { while (true); }'),
      job('syntax error'),
    ]
    const [alone, first, second] = [open(1), open(3), pool]
    const expected = await alone.judge(jobs)
    expect(expected[10]).toMatchObject([{ kind: 'passed' }])
    expect(expected.flat().filter(({ kind }) => kind === 'passed')).toHaveLength(1)
    alone.close()
    expect(await Promise.all([first.judge(jobs), second.judge(jobs)])).toEqual([expected, expected])
    expect(startWorker).toHaveBeenCalledTimes(4)
  })

  it('start only when the others are busy', async () => {
    open(3)
    for (const value of [42, 43]) await pool.judge([returns(value)])
    expect(startWorker).toHaveBeenCalledOnce()
    await pool.judge([returns(42), returns(43)])
    expect(startWorker).toHaveBeenCalledTimes(2)
  })

  it('lose one program when a thread dies, and no other', async () => {
    open(2, 'fragile')
    const results = await pool.judge([returns(42), job('EXIT'), returns(42), returns(42)])
    expect(results.map(([verdict]) => verdict!.kind)).toEqual(['passed', 'runtime error', 'passed', 'passed'])
    expect(onLoss).toHaveBeenCalledOnce()
  })

  it('judge nothing more of a call that failed, and still answer the next one', async () => {
    open(2)
    const invalid = job('', 'not a name')
    await expect(pool.judge([invalid, ...Array.from({ length: 50 }, () => returns(42))])).rejects.toThrow(
      'is not a function name',
    )
    expect(await pool.judge([returns(42)])).toMatchObject([[{ kind: 'passed' }]])
    const controller = new AbortController()
    controller.abort(new Error('stopped'))
    await expect(pool.judge([returns(42)], controller.signal)).rejects.toThrow('stopped')
    pool.close()
    await expect(pool.judge([returns(42)])).rejects.toThrow('it was closed')
  })
})
