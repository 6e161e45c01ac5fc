/** Logs that are older than some of the settings: a setting that did not exist yet had the effect of its default. */
import type { LoggedEvent } from '../method/events.ts'
import { DEFAULTS, type Settings } from '../method/settings.ts'

/** The event itself where nothing is missing. */
export function withEverySetting(event: LoggedEvent): LoggedEvent {
  if (event.type !== 'run-started') return event
  const missing = Object.entries(DEFAULTS).filter(([name]) => !Object.hasOwn(event.settings, name))
  if (missing.length === 0) return event
  return { ...event, settings: { ...event.settings, ...(Object.fromEntries(missing) as Partial<Settings>) } }
}
