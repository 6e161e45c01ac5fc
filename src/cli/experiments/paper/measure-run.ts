/** Reduces a log to the numbers of a run record, event by event, because a log may be larger than memory. */
import type { LoggedEvent } from '../../../method/events.ts'
import { metricPoints } from '../../../method/metric-points.ts'
import { LogChecks } from './log-checks.ts'
import type { RunRecord } from './run-record.ts'

/** Grows with every change of what is measured here or in log-checks.ts: kept records of another version are measured again. */
export const MEASURES = 2

type Measured = Pick<RunRecord, 'measures' | 'evaluations' | 'last' | 'early' | 'late' | 'mean' | 'checks'>

const END_SHARE = 0.2
const DIGITS = 1e6

/** Metrics of evaluations, which are measured on held-out tasks and trajectories. */
function isOfEvaluation(name: string): boolean {
  return /^(eval|judge)\//.test(name)
}

export class RunMeasurer {
  readonly #checks = new LogChecks()
  readonly #evaluations = new Map<number, Record<string, number>>()
  readonly #iterations: Record<string, number>[] = []

  take(event: LoggedEvent): void {
    this.#checks.take(event)
    for (const [name, value] of metricPoints(event)) {
      if (!isOfEvaluation(name)) continue
      const values = this.#evaluations.get(event.iteration) ?? {}
      values[name] = value
      this.#evaluations.set(event.iteration, values)
    }
    if (event.type !== 'iteration-finished') return
    this.#iterations.push(event.metrics)
    const total = event.metrics['rollout/total']
    const evaluated = this.#evaluations.get(event.iteration)
    if (evaluated && total !== undefined) evaluated['rollout/total'] = total
  }

  result(): Measured {
    const count = Math.ceil(END_SHARE * this.#iterations.length)
    return {
      measures: MEASURES,
      evaluations: [...this.#evaluations]
        .sort(([a], [b]) => a - b)
        .map(([iteration, values]) => ({ iteration, values: rounded(values) })),
      last: rounded(this.#iterations.at(-1) ?? {}),
      early: means(this.#iterations.slice(0, count)),
      late: means(this.#iterations.slice(-count)),
      mean: means(this.#iterations),
      checks: rounded(this.#checks.values()),
    }
  }
}

/** `log` has the events in parts, as `readLog` gives them. */
export async function measureLog(log: AsyncIterable<readonly LoggedEvent[]>): Promise<Measured> {
  const measurer = new RunMeasurer()
  for await (const events of log) for (const event of events) measurer.take(event)
  return measurer.result()
}

/** Mean of each metric over the iterations that have it. */
function means(iterations: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>()
  for (const metrics of iterations) {
    for (const [name, value] of Object.entries(metrics)) {
      const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 }
      sums.set(name, { sum: sum + value, count: count + 1 })
    }
  }
  return rounded(Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count])))
}

function rounded(values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value * DIGITS) / DIGITS]))
}
