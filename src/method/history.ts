/**
 * Which events of a log count. A run that stops in the middle of an iteration leaves events of it in the append-only log; when
 * it resumes, the iteration starts again under the same number. So:
 *
 *     an iteration counts once it has finished; a later `iteration-started` with the same number replaces the interrupted
 *     attempt; changes of settings and models always count, because the user made them.
 */
import type { LoggedEvent } from './events.ts'

/** The events up to the last finished iteration, without interrupted iterations but with all changes of settings and models. */
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
    const isChange = event.type === 'settings-changed' || event.type === 'model-replaced'
    if (isChange || event.iteration === 0) return true
    return event.iteration <= lastFinished && event.seq >= (lastStart.get(event.iteration) ?? 0)
  })
}
