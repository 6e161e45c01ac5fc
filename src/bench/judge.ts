/**
 * Speed of the judge on one core: small programs in this thread and through a worker, beside fresh contexts without limits; how
 * executed time compares to real time; and how far endless programs run past their limits.
 */
import { loadEngine } from '../worlds/sandbox/engine-binary.ts'
import { judgeTest } from '../worlds/coding/judge/judge.ts'
import { Machine } from '../worlds/sandbox/machine.ts'
import {
  DEFAULT_LIMITS,
  type JudgeJob,
  type JudgePort,
  type Limits,
  type PlainTest,
} from '../worlds/coding/judge/verdict.ts'
import { FreshContexts } from './fresh-context.ts'
import { BUSY_PROGRAMS, ENDLESS_PROGRAMS, SMALL_PROGRAMS, type JudgedProgram } from './judge-programs.ts'
import { measureRate, median, type Timing } from './repetitions.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'

export interface JudgeSuiteOptions extends Omit<Timing, 'signal'> {
  /** Starts a judge in a worker; `close` ends it. */
  startJudge(): { judge: JudgePort; close(): void }
}

const OURS = 'judge'
/** Target of program × test runs a second on one core. */
export const RUNS_TARGET = 2000
const ENDLESS_LIMITS: Limits = { ...DEFAULT_LIMITS, executedMs: 200 }
const ENDLESS_TEST: PlainTest = { kind: 'stdio', input: '', expected: '' }
const WALL_MS = 200

export function judgeSuite(options: JudgeSuiteOptions): Suite {
  return {
    name: 'judge',
    summary: 'untrusted programs: runs a second, and how promptly they are stopped',
    async run(context) {
      const timing: Timing = { ...options, ...(context.signal && { signal: context.signal }) }
      const engine = await loadEngine()
      await measureRuns('small program × test runs', SMALL_PROGRAMS, engine, timing, context)
      await measureRuns('busy program × test runs', BUSY_PROGRAMS, engine, timing, context)
      await measureWorker(options, timing, context)
      await measureMachine(engine, timing, context)
      await measureStops(engine, timing, context)
    },
  }
}

function sizesOf(programs: readonly JudgedProgram[]): Measurement['sizes'] {
  return { programs: programs.length, tests: programs.reduce((sum, { tests }) => sum + tests.length, 0) }
}

async function measureRuns(
  name: string,
  programs: readonly JudgedProgram[],
  engine: WebAssembly.Module,
  timing: Timing,
  context: SuiteContext,
): Promise<void> {
  const machine = await Machine.boot(engine)
  const contexts = await FreshContexts.load()
  const target = programs === SMALL_PROGRAMS ? `target ${RUNS_TARGET}; ` : ''
  const contenders = [
    { subject: OURS, note: `${target}all verdicts right`, passes: passing(machine) },
    {
      subject: 'fresh QuickJS contexts',
      note: 'not metered, no limits',
      passes: (source: string, test: PlainTest) => contexts.passes(source, test),
    },
  ]
  for (const { subject, note, passes } of contenders) {
    context.progress(`Measuring ${name}, ${subject}`)
    const work = () => {
      let runs = 0
      for (const program of programs) {
        for (const test of program.tests) {
          if (!passes(program.source, test)) throw new Error(`${subject} fails the correct program "${program.name}".`)
          runs++
        }
      }
      return runs
    }
    const rate = await measureRate({ prepare: () => null, work }, timing)
    context.report({
      suite: 'judge',
      name,
      subject,
      value: rate.perSecond,
      unit: 'runs/s',
      sizes: sizesOf(programs),
      note: `${note}; ${rate.note}`,
    })
  }
}

function passing(machine: Machine) {
  return (source: string, test: PlainTest) => judgeTest(machine, source, test, DEFAULT_LIMITS).kind === 'passed'
}

/** Includes the messages for every program; wall time, because the two threads are not busy at the same time. */
async function measureWorker(options: JudgeSuiteOptions, timing: Timing, context: SuiteContext): Promise<void> {
  const { judge, close } = options.startJudge()
  const jobs = SMALL_PROGRAMS.map(({ source, tests }): JudgeJob => ({ source, tests, limits: DEFAULT_LIMITS }))
  try {
    context.progress('Measuring small programs through a worker')
    const rates: number[] = []
    for (let repetition = 0; repetition <= timing.repetitions; repetition++) {
      const start = performance.now()
      let runs = 0
      while (performance.now() - start < timing.durationMs) {
        const results = await judge.judge(jobs, timing.signal)
        runs += results.flat().filter(({ kind }) => kind === 'passed').length
      }
      if (repetition > 0) rates.push((1000 * runs) / (performance.now() - start))
    }
    context.report({
      suite: 'judge',
      name: 'small program × test runs through a worker',
      subject: OURS,
      value: median(rates.sort((a, b) => a - b)),
      unit: 'runs/s',
      sizes: sizesOf(SMALL_PROGRAMS),
      note: `one message a program; median of ${rates.length}, wall time`,
    })
    await measureWatchdog(judge, timing, context)
  } finally {
    close()
  }
}

/** Runs programs that reach their wall-time limit long before their limit in executed time, so the worker is terminated. */
async function measureWatchdog(judge: JudgePort, timing: Timing, context: SuiteContext): Promise<void> {
  context.progress('Measuring the watchdog')
  const limits: Limits = { ...DEFAULT_LIMITS, executedMs: 8000, wallMs: WALL_MS }
  const small = SMALL_PROGRAMS[0]!
  const over: number[] = []
  for (let repetition = 0; repetition < timing.repetitions; repetition++) {
    await judge.judge([{ source: small.source, tests: small.tests, limits: DEFAULT_LIMITS }], timing.signal)
    const start = performance.now()
    await judge.judge([{ source: 'for (;;);', tests: [ENDLESS_TEST], limits }], timing.signal)
    over.push(performance.now() - start - WALL_MS)
  }
  context.report({
    suite: 'judge',
    name: 'past the limit by the clock, its worker ended',
    subject: OURS,
    value: Math.max(...over),
    unit: 'ms',
    sizes: { 'limit ms': WALL_MS },
    note: `most of ${over.length}, wall time; at most 50 are allowed`,
  })
}

async function measureMachine(engine: WebAssembly.Module, timing: Timing, context: SuiteContext): Promise<void> {
  context.progress('Measuring machines')
  const machine = await Machine.boot(engine)
  const rounds = 100
  const restoring = await measureRate(
    {
      prepare: () => machine,
      work(restored) {
        for (let i = 0; i < rounds; i++) restored.restore(DEFAULT_LIMITS.memoryBytes)
        return rounds
      },
    },
    timing,
  )
  const { perSecond, note } = restoring
  context.report({
    suite: 'judge',
    name: 'restoring a machine',
    subject: OURS,
    value: 1e6 / perSecond,
    unit: 'µs',
    sizes: { bytes: machine.state().length },
    note,
  })
  const times: number[] = []
  for (let i = 0; i < 20; i++) {
    const start = timing.clock.now()
    await Machine.boot(engine)
    times.push(timing.clock.now() - start)
  }
  context.report({
    suite: 'judge',
    name: 'booting a machine, after one whose memory grew',
    subject: OURS,
    value: median(times.sort((a, b) => a - b)),
    unit: 'ms',
    sizes: {},
    note: `median of ${times.length}, ${timing.clock.name}`,
  })
}

/** Runs endless programs to their limit: measures a millisecond of executed time, and the time past the limit. */
async function measureStops(engine: WebAssembly.Module, timing: Timing, context: SuiteContext): Promise<void> {
  const limitMs = ENDLESS_LIMITS.executedMs
  for (const { name, source } of ENDLESS_PROGRAMS) {
    context.progress(`Stopping ${name}`)
    const times: number[] = []
    for (let repetition = 0; repetition <= timing.repetitions; repetition++) {
      const machine = await Machine.boot(engine)
      const start = timing.clock.now()
      const verdict = judgeTest(machine, source, ENDLESS_TEST, ENDLESS_LIMITS)
      times.push(timing.clock.now() - start)
      if (verdict.kind !== 'time limit') throw new Error(`${name} ended with "${verdict.kind}".`)
      await new Promise((resolve) => setTimeout(resolve, 0))
      timing.signal?.throwIfAborted()
    }
    const measured = times.slice(1).sort((a, b) => a - b)
    context.report({
      suite: 'judge',
      name: `until it is stopped: ${name}`,
      subject: OURS,
      value: median(measured),
      unit: 'ms',
      sizes: { 'limit ms': limitMs },
      note: `median of ${measured.length}, most ${Math.max(...measured).toFixed(0)}, ${timing.clock.name}; ${limitMs + 50} are allowed`,
    })
  }
}
