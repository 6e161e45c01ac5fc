import type { LoggedEvent, RunStarted } from '../../method/events.ts'
import { changedFrom } from '../../method/presets.ts'
import { ROLES } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import { modelNames } from '../../roles/shipped-models.ts'
import { sourcesOf } from '../../roles/source.ts'

/** Settings that change what is measured, and not what is learned. */
const MEASURING: readonly string[] = [
  'seed',
  'evaluateEvery',
  'evaluationTasks',
  'evaluationRollouts',
  'judgeTasks',
] satisfies (keyof Settings)[]

/** Throws RangeError if the log does not contain the start of a run. */
export function startOf(events: readonly LoggedEvent[]): RunStarted {
  const started = events.find((event) => event.type === 'run-started')
  if (started === undefined) throw new RangeError('The log does not contain the start of a run.')
  return started
}

/** The last iteration of a log. */
export function iterationsOf(events: readonly LoggedEvent[]): number {
  return events.reduce((last, { iteration }) => Math.max(last, iteration), 0)
}

/**
 * "household+full, lambda 5, 40 iterations": what runs have in common that differ in their seed alone. Throws RangeError if the log does
 * not contain the start of a run.
 */
export function armOf(events: readonly LoggedEvent[]): string {
  const { preset, settings, models } = startOf(events)
  const changed = changedFrom(preset, settings).filter(([name]) => !MEASURING.includes(name))
  const shipped = modelNames(sourcesOf(), settings.world)
  const others = ROLES.filter((role) => models[role] !== shipped[role])
  return [
    preset,
    ...changed.map(([name, value]) => `${name} ${value}`),
    ...others.map((role) => `${role} ${models[role]}`),
    `${iterationsOf(events)} iterations`,
  ].join(', ')
}
