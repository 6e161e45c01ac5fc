import type { LoggedEvent, RunStarted } from '../../method/events.ts'

/** Throws RangeError if the log does not contain the start of a run. */
export function startOf(events: readonly LoggedEvent[]): RunStarted {
  const started = events.find((event) => event.type === 'run-started')
  if (started === undefined) throw new RangeError('The log does not contain the start of a run.')
  return started
}
