/**
 * Reads settings of older logs. A setting that did not exist yet has the effect of its default, except these: evaluations were
 * measured at the policy's temperature alone, and the reward model was not measured on fixed trajectories.
 */
import type { LoggedEvent } from '../method/events.ts'
import { SAMPLED } from '../method/metric-points.ts'
import { DEFAULTS, withCurrentNames, type Settings } from '../method/settings.ts'

/** The event itself where its settings are current. */
export function withCurrentSettings(event: LoggedEvent): LoggedEvent {
  if (event.type !== 'run-started') return event
  const settings = completeSettings(event.settings)
  return settings === event.settings ? event : { ...event, settings }
}

/** The settings themselves where they are current. */
export function completeSettings(settings: Settings): Settings {
  const named = withCurrentNames(settings)
  const missing = Object.entries(DEFAULTS).filter(([name]) => !Object.hasOwn(named, name))
  if (missing.length === 0) return named
  const before: Partial<Settings> = { evaluationTemperature: named.policyTemperature, judgeTasks: 0 }
  return {
    ...named,
    ...(Object.fromEntries(
      missing.map(([name, value]) => [name, before[name as keyof Settings] ?? value]),
    ) as Partial<Settings>),
  }
}

const OLDER_EVALUATION = /^eval\/(id|ood)\/(acc|ut|detect)$/

/** Metrics of an older run: `eval/…` was measured at the training temperature alone, and is named so now (metric-points.ts). */
export function withSampledNames(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [OLDER_EVALUATION.test(name) ? name + SAMPLED : name, value]),
  )
}
