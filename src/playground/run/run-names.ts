/** What a kept run is called: how it differs from its preset, since that is why somebody made it. */
import { presetSettings, type LivePatch, type Settings } from '../../method/settings.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { basePreset, isAblated } from './ablations.ts'
import { compact } from '../kit/format.ts'
import { settingWords, type SettingName } from './worlds.ts'

type Named = Pick<RunSummary, 'preset' | 'settings' | 'changes' | 'origin'>

/** Names of settings as the first words of their controls: "λ", "α_low", "Policy learning rate". */
function shortLabel(name: SettingName, world: Settings['world']): string {
  return settingWords(name, world).label.split(',')[0]!
}

function write(value: Settings[SettingName]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'number' ? compact(value) : value
}

/** "λ 0.5, Train the reward model off" */
export function writeSettings(settings: Partial<Settings>, world: Settings['world']): string {
  return (Object.keys(settings) as SettingName[])
    .map((name) => `${shortLabel(name, world)} ${write(settings[name]!)}`)
    .join(', ')
}

/** Settings other than the preset's, but for the seed. */
function difference({ preset, settings }: Pick<Named, 'preset' | 'settings'>): Partial<Settings> {
  let base: Settings
  try {
    base = presetSettings(preset)
  } catch {
    // A preset that this page no longer has: its name alone says what was meant.
    return {}
  }
  const names = (Object.keys(settings) as SettingName[]).filter(
    (name) => name !== 'seed' && settings[name] !== base[name],
  )
  return Object.fromEntries(names.map((name) => [name, settings[name]]))
}

/** What runs of one experiment have in common: "household: λ 0.5, 50 iterations". */
export function experimentName({ preset, settings, iterations }: RunSummary): string {
  const base = basePreset(preset) || 'defaults'
  const differences = Object.entries(difference({ preset, settings })).filter(([name]) => !isAblated(name))
  const parts = [
    writeSettings(Object.fromEntries(differences), settings.world),
    `${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`,
  ]
  return `${base}: ${parts.filter((part) => part !== '').join(', ')}`
}

/** "household: λ 0.5, seed 3; λ 2 from iteration 12". */
export function runName(run: Named): string {
  const world = run.settings.world
  const parts = [writeSettings(difference(run), world), `seed ${run.settings.seed}`].filter((part) => part !== '')
  const changes = run.changes.map(({ iteration, patch }) => `${writePatch(patch, world)} from iteration ${iteration}`)
  return [`${run.preset}: ${parts.join(', ')}`, ...changes].join('; ')
}

export function writePatch(patch: LivePatch, world: Settings['world']): string {
  return writeSettings(patch, world)
}

/** Equal for runs that differ in their seed alone: those that make a mean. */
export function groupKey({ settings, changes, origin, preset }: Named): string {
  const { seed: _, ...rest } = settings
  const from = origin?.kind === 'branch' ? origin.iteration : null
  return JSON.stringify([preset, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)), changes, from])
}

/** What the settings of chosen runs disagree on, each with one value a run: the rows of a comparison. */
export function differingSettings(runs: readonly Named[]): { name: SettingName; label: string; values: string[] }[] {
  const first = runs[0]
  if (first === undefined) return []
  return (Object.keys(first.settings) as SettingName[])
    .filter((name) => runs.some(({ settings }) => settings[name] !== first.settings[name]))
    .map((name) => ({
      name,
      label: shortLabel(name, first.settings.world),
      values: runs.map(({ settings }) => write(settings[name])),
    }))
}
