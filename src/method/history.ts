/**
 * Which events of a log count. A run that is stopped in the middle of an iteration leaves the first part of it in the
 * log, and the log is append-only; when the run goes on, the iteration starts again under the same number. So:
 *
 *     an iteration counts once it has finished; a later `iteration-started` of the same number replaces what an
 *     unfinished one left, and changes of settings always count, because a person made them.
 */
import type { LoggedEvent } from './events.ts'

/** The events up to the last finished iteration, without what unfinished iterations left; changes of settings stay. */
export function settledHistory(history: readonly LoggedEvent[]): LoggedEvent[] {
  const lastFinished = history.reduce(
    (latest, event) => (event.type === 'iteration-finished' ? Math.max(latest, event.iteration) : latest),
    0,
  )
  const lastStart = new Map<number, number>()
  for (const event of history) {
    if (event.type === 'iteration-started') lastStart.set(event.iteration, event.seq)
  }
  return history.filter((event) => {
    if (event.type === 'settings-changed' || event.iteration === 0) return true
    return event.iteration <= lastFinished && event.seq >= (lastStart.get(event.iteration) ?? 0)
  })
}
