/** Hostile programs, one by one on the same judge, each followed by an honest one. */
import { cpuUsage } from 'node:process'
import { beforeAll, describe, expect, it } from 'vitest'
import { Judge } from '../../../../src/worlds/coding/judge/judge.ts'
import type { JudgeJob, Limits, Test, Verdict } from '../../../../src/worlds/coding/judge/verdict.ts'
import { HOSTILE_LIMITS, HOSTILE_PROGRAMS, testOf } from './hostile-programs.ts'

/** Tolerated time beyond a program's limit. */
const GRACE_MS = 50
const ATTEMPTS = 10
/** Most programs use all the time that they may have. Those that run out of memory need longer for that. */
const SHORT_LIMITS: Limits = { ...HOSTILE_LIMITS, executedMs: 100 }

const HONEST: JudgeJob = {
  source: `
    const seen = new Map()
    function f(words) {
      for (const word of words) seen.set(word, (seen.get(word) ?? 0) + 1)
      return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, count]) => ({ word, count }))
    }
    let line, sum = 0
    while ((line = readline()) !== null) sum += line.split(' ').map(Number).reduce((a, b) => a + b, 0)
    print(sum)
  `,
  tests: [
    {
      kind: 'call',
      functionName: 'f',
      arguments: [['b', 'a', 'b']],
      expected: [
        { word: 'a', count: 1 },
        { word: 'b', count: 2 },
      ],
    },
    { kind: 'stdio', input: '1 2\n39\n', expected: '42' },
    { kind: 'stdio', input: '1', expected: '2' },
  ],
  limits: HOSTILE_LIMITS,
}

describe('a judge of hostile programs', () => {
  const judge = new Judge()
  let honest: Verdict[]
  /** CPU time that a program may take here. */
  const allowedMs = new Map<Limits, number>()
  beforeAll(async () => {
    // V8 compiles the engine twice while it runs, and the time of its threads counts as this process's.
    for (let i = 0; i < 200; i++) honest = await judge.judge(HONEST)
    for (const limits of [HOSTILE_LIMITS, SHORT_LIMITS])
      allowedMs.set(limits, Math.min(await allowance(limits), await allowance(limits), await allowance(limits)))
  })

  /** Executed time is at least real time on machines like those it was fitted to. On a slower one everything is slower. */
  async function allowance(limits: Limits): Promise<number> {
    const busy = 'for (;;) { const all = []; for (let i = 0; i < 1000; i++) all.push({ x: i, y: [i] }) }'
    const { usedMs } = await timed(busy, HONEST.tests[1]!, limits)
    return Math.max(limits.executedMs, usedMs) + GRACE_MS
  }

  async function timed(source: string, test: Test, limits: Limits) {
    const before = cpuUsage()
    const [verdict] = await judge.judge({ source, tests: [test], limits })
    return { verdict: verdict!, usedMs: cpuUsage(before).user / 1000 }
  }

  it('has enough of them', () => {
    expect(HOSTILE_PROGRAMS.length).toBeGreaterThan(150)
    expect(new Set(HOSTILE_PROGRAMS.map(({ name }) => name)).size).toBe(HOSTILE_PROGRAMS.length)
  })

  it.each(HOSTILE_PROGRAMS.map((program) => [program.name, program] as const))('%s', async (_, program) => {
    const limits = program.verdict === 'memory limit' ? HOSTILE_LIMITS : SHORT_LIMITS
    let excessMs = Infinity
    for (let i = 0; i < ATTEMPTS && excessMs > 0; i++) {
      const { verdict, usedMs } = await timed(program.source, testOf(program), limits)
      expect(verdict).toMatchObject({ kind: program.verdict })
      if (program.message !== undefined)
        expect(verdict).toMatchObject({ message: expect.stringContaining(program.message) as string })
      expect(verdict.executedMs).toBeLessThanOrEqual(limits.executedMs)
      // CPU time of this process. A machine whose other work shares its caches is slower for a while, so the pace is taken again.
      excessMs = usedMs - (i === 0 ? allowedMs.get(limits)! : await allowance(limits))
    }
    expect(excessMs).toBeLessThanOrEqual(0)
    // The next program gets the same verdicts as ever, to the last unit of fuel.
    expect(await judge.judge(HONEST)).toEqual(honest)
  })
})
