/** What is wrong with a kept log: holes, doubled events, iterations that are missing or twice. */
import type { LoggedEvent } from '../../src/method/events.ts'

/** Iterations that the log finished, in its order. */
export const finishedIterations = (log: readonly LoggedEvent[]): number[] =>
  log.flatMap(({ type, iteration }) => (type === 'iteration-finished' ? [iteration] : []))

export function logFaults(runId: string, log: readonly LoggedEvent[]): string[] {
  return [
    ...log.flatMap(({ seq }, place) => (seq === place ? [] : [`${runId}: event ${place} has number ${seq}`])),
    ...finishedIterations(log).flatMap((iteration, place) =>
      iteration === place + 1 ? [] : [`${runId}: iteration ${place + 1} has number ${iteration}`],
    ),
  ]
}
