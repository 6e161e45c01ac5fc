/**
 * A run's numbers without its texts: one row an iteration, kept beside the log, so that curves of many runs can be laid
 * over one another without reading a single log. The rows are a fold of the log, but for the timings, which no log holds.
 */
import type { LoggedEvent } from '../method/events.ts'
import { metricPoints } from '../method/metric-points.ts'

export interface MetricRow {
  iteration: number
  /** Where its events lie in the log: `seq` of the first, and of the one after the last. */
  firstSeq: number
  endSeq: number
  /** An iteration that was cut counts for nothing (history.ts); 0, before the first, always counts. */
  isFinished: boolean
  /** By name, see metric-points.ts; `policy/examples` and `reward/examples` where the model learned; `timing_s/*`. */
  values: Record<string, number>
}

/** The row of the event's iteration after the event. An iteration that starts again leaves nothing of its first start. */
export function rowAfter(row: MetricRow | undefined, event: LoggedEvent): MetricRow {
  const before: MetricRow =
    row === undefined || event.type === 'iteration-started'
      ? { iteration: event.iteration, firstSeq: event.seq, endSeq: 0, isFinished: event.iteration === 0, values: {} }
      : row
  const points = Object.fromEntries(metricPoints(event))
  if (event.type === 'model-updated') points[`${event.role}/examples`] = event.examples
  return {
    ...before,
    endSeq: event.seq + 1,
    isFinished: before.isFinished || event.type === 'iteration-finished',
    values: { ...before.values, ...points },
  }
}

/** The rows of a whole log, in order. */
export function metricRows(events: Iterable<LoggedEvent>): MetricRow[] {
  const rows = new Map<number, MetricRow>()
  for (const event of events) rows.set(event.iteration, rowAfter(rows.get(event.iteration), event))
  return [...rows.values()].sort((a, b) => a.iteration - b.iteration)
}
