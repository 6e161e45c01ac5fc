import { afterEach, describe, expect, it, vi } from 'vitest'
import { WorkerLostError } from '../../../../src/threads/errors.ts'
import { startThread } from '../../../../src/threads/node-threads.ts'
import { SupervisedJudge } from '../../../../src/worlds/coding/judge/supervised-judge.ts'
import { connectWorker } from '../../../../src/threads/worker-bridge.ts'
import type { Judge } from '../../../../src/worlds/coding/judge/judge.ts'
import { DEFAULT_LIMITS, type JudgeJob, type Limits } from '../../../../src/worlds/coding/judge/verdict.ts'

/** Tolerated time beyond a program's limit. */
const GRACE_MS = 250
const TRIES = 40

const ENTRIES = {
  judge: new URL('../../../../workers/judge.ts', import.meta.url),
  fragile: new URL('./fixtures/fragile-judge.ts', import.meta.url),
  dead: new URL('./fixtures/dead-judge.ts', import.meta.url),
}

function job(source: string, limits: Partial<Limits> = {}): JudgeJob {
  const test = { kind: 'call', functionName: 'f', arguments: [20], expected: 42 } as const
  return { source, tests: [test, { ...test, expected: 41 }], limits: { ...DEFAULT_LIMITS, ...limits } }
}

const RIGHT = 'const f = (x) => 2 * x + 2'
const JUDGED = [{ kind: 'passed' }, { kind: 'wrong answer', expected: '41', got: '42' }]

describe('a judge in a worker', () => {
  let judge: SupervisedJudge
  const onLoss = vi.fn<(loss: WorkerLostError) => void>()
  const startWorker = vi.fn<(entry: URL) => ReturnType<typeof connectWorker<Judge>>>((entry) =>
    connectWorker<Judge>(startThread(entry), 'judge'),
  )
  const open = (entry: keyof typeof ENTRIES) => {
    judge = new SupervisedJudge({ startWorker: () => startWorker(ENTRIES[entry]), onLoss })
    return judge
  }
  afterEach(() => {
    judge.close()
    vi.clearAllMocks()
  })

  it('judges programs in order, however many calls are pending', async () => {
    open('judge')
    const [first, second] = await Promise.all([
      judge.judge([job(RIGHT), job('syntax error'), job(RIGHT)]),
      judge.judge([job('const f = () => { throw new Error("no") }')]),
    ])
    expect(first).toMatchObject([JUDGED, [{ kind: 'syntax error' }, { kind: 'syntax error' }], JUDGED])
    expect(second).toMatchObject([[{ kind: 'runtime error' }, { kind: 'runtime error' }]])
    expect(startWorker).toHaveBeenCalledOnce()
  })

  it('fails only the running program when its worker dies, and continues with a new one', async () => {
    open('fragile')
    const results = await judge.judge([job(RIGHT), job('EXIT'), job(RIGHT)])
    const broken = { kind: 'runtime error', message: expect.stringContaining('exit code 7') as string }
    expect(results).toMatchObject([JUDGED, [broken, broken], JUDGED])
    expect(startWorker).toHaveBeenCalledTimes(2)
    expect(onLoss).toHaveBeenCalledOnce()
  })

  it('blames no program for a worker that dies while idle', async () => {
    open('fragile')
    expect(await judge.judge([job(`${RIGHT} // EXIT LATER`)])).toMatchObject([JUDGED])
    await expect.poll(() => onLoss.mock.calls.length).toBe(1)
    expect(await judge.judge([job(RIGHT)])).toMatchObject([JUDGED])
    expect(startWorker).toHaveBeenCalledTimes(2)
    expect(onLoss).toHaveBeenCalledOnce()
  })

  it.each([
    ['hangs', 'fragile', 'HANG'],
    ['is busy with a program that may run for long', 'judge', 'for (;;);'],
  ] as const)('ends a worker that %s, no later than 250 ms after the limit', async (_, entry, source) => {
    open(entry)
    await judge.judge([job(RIGHT)])
    const limits = { executedMs: 8000, wallMs: 300 }
    let shortest = Infinity
    // On a busy machine every thread has to wait, so a single try says nothing about the judge.
    for (let attempt = 0; attempt < TRIES && shortest >= GRACE_MS; attempt++) {
      // A timer of this thread for the limit itself: how late timers are here is not the judge's fault.
      let limitAt = 0
      setTimeout(() => (limitAt = performance.now()), limits.wallMs)
      const [verdicts] = await judge.judge([job(source, limits)])
      expect(limitAt).toBeGreaterThan(0)
      shortest = Math.min(shortest, performance.now() - limitAt)
      expect(verdicts).toMatchObject([
        { kind: 'time limit', by: 'clock' },
        { kind: 'time limit', by: 'clock' },
      ])
    }
    expect(shortest).toBeLessThan(GRACE_MS)
    expect(await judge.judge([job(RIGHT)])).toMatchObject([JUDGED])
  })

  it('does not blame a program if the caller is busy', async () => {
    open('judge')
    await judge.judge([job(RIGHT)])
    // Longer under way than it takes until this thread is busy, and less than its limit.
    const slow = 'let x = 0; for (let i = 0; i < 500_000; i++) x += i; const f = (x) => 2 * x + 2'
    const limits = { wallMs: 2000 }
    const judged = judge.judge([job(slow, limits)])
    await new Promise((resolve) => setTimeout(resolve, 10))
    // After this Node looks at its timers before it looks at its messages.
    await new Promise((resolve) => setImmediate(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limits.wallMs + 500)
    expect(await judged).toMatchObject([JUDGED])
    expect(onLoss).not.toHaveBeenCalled()
  })

  it('rejects at once with the reason of an abort, and judges later programs', async () => {
    open('judge')
    await judge.judge([job(RIGHT)])
    const controller = new AbortController()
    const slow = judge.judge([job('for (;;);', { executedMs: 300 }), job(RIGHT)], controller.signal)
    const reason = new DOMException('Enough.', 'AbortError')
    setTimeout(() => controller.abort(reason), 20)
    await expect(slow).rejects.toBe(reason)
    await expect(judge.judge([job(RIGHT)], controller.signal)).rejects.toBe(reason)
    expect(await judge.judge([job(RIGHT)])).toMatchObject([JUDGED])
    expect(startWorker).toHaveBeenCalledOnce()
  })

  it('throws what is wrong with a job', async () => {
    open('judge')
    await expect(judge.judge([job(RIGHT, { memoryBytes: 5 })])).rejects.toThrow('memory limit of 5 bytes')
    expect(await judge.judge([job(RIGHT)])).toMatchObject([JUDGED])
  })

  it('gives up after three workers that died while loading', async () => {
    open('dead')
    await expect(judge.judge([job(RIGHT)])).rejects.toBeInstanceOf(WorkerLostError)
    expect(startWorker).toHaveBeenCalledTimes(3)
    // The last one is not replaced.
    expect(onLoss).toHaveBeenCalledTimes(2)
  })

  it('rejects pending calls when it is closed, and does not start again', async () => {
    open('judge')
    await judge.judge([job(RIGHT)])
    const pending = judge.judge([job('for (;;);'), job(RIGHT)])
    setTimeout(() => judge.close(), 20)
    await expect(pending).rejects.toBeInstanceOf(WorkerLostError)
    await expect(judge.judge([job(RIGHT)])).rejects.toBeInstanceOf(WorkerLostError)
  })
})
