/**
 * A run's numbers without its texts: one row for each iteration, kept beside the log, so that curves of many runs can be
 * compared without reading a log. The rows are a fold of the log, except the timings, which no log contains.
 */
import type { LoggedEvent } from '../method/events.ts'
import { metricPoints } from '../method/metric-points.ts'

export interface MetricRow {
  iteration: number
  /** `seq` of its first event, and of the one after its last. */
  firstSeq: number
  endSeq: number
  /** An interrupted iteration does not count (history.ts); 0, before the first, always counts. */
  isFinished: boolean
  /** By name (metric-points.ts), with `policy/examples` and `reward/examples` if the model learned, and `timing_s/*`. */
  values: Record<string, number>
}

/** Adds an event to the row of its iteration. When an iteration starts again, its row starts over. */
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

/** Rows of a whole log, in order. */
export function metricRows(events: Iterable<LoggedEvent>): MetricRow[] {
  const rows = new Map<number, MetricRow>()
  for (const event of events) rows.set(event.iteration, rowAfter(rows.get(event.iteration), event))
  return [...rows.values()].sort((a, b) => a.iteration - b.iteration)
}
