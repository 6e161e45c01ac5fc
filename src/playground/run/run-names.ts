/** Names kept runs by how they differ from their preset. */
import { changedFrom } from '../../method/presets.ts'
import type { LivePatch, Settings } from '../../method/settings.ts'
import { keptSource } from '../../roles/source.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { modelsVersion } from '../../worlds/own/models-folder.ts'
import { basePreset, isAblated } from './ablations.ts'
import { writeSetting } from './differences.ts'
import { ROLE_TITLES } from './role-models.ts'
import { settingWords, type SettingName } from './worlds.ts'

type Named = Pick<RunSummary, 'preset' | 'settings' | 'changes' | 'replacements' | 'origin' | 'worldFile'>

/** The first words of the setting's label: "λ", "α_low", "Policy learning rate". */
function shortLabel(name: SettingName, world: Settings['world']): string {
  return settingWords(name, world).label.split(',')[0]!
}

/** "λ 0.5, Train the reward model off" */
export function writeSettings(settings: Partial<Settings>, world: Settings['world']): string {
  return (Object.keys(settings) as SettingName[])
    .map((name) => `${shortLabel(name, world)} ${writeSetting(settings[name]!)}`)
    .join(', ')
}

/** The settings that differ from the preset, without the seed. */
function difference({ preset, settings }: Pick<Named, 'preset' | 'settings'>): Partial<Settings> {
  try {
    return Object.fromEntries(changedFrom(preset, settings).filter(([name]) => name !== 'seed'))
  } catch {
    // The page no longer has this preset, so its name must do.
    return {}
  }
}

const inWorld = ({ worldFile }: Pick<Named, 'worldFile'>): string => (worldFile ? `in ${worldFile.name}` : '')

/** What the runs of an experiment share: "household: λ 0.5, 50 iterations". */
export function experimentName({ preset, settings, iterations, worldFile }: RunSummary): string {
  const base = basePreset(preset) || 'defaults'
  const differences = Object.entries(difference({ preset, settings })).filter(([name]) => !isAblated(name))
  const parts = [
    writeSettings(Object.fromEntries(differences), settings.world),
    `${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`,
    inWorld({ worldFile }),
  ]
  return `${base}: ${parts.filter((part) => part !== '').join(', ')}`
}

/** What each iteration began with: of several changes while the run rested, the last counts. */
function patches(run: Pick<Named, 'changes'>): [iteration: number, patch: LivePatch][] {
  const byIteration = new Map<number, LivePatch>()
  for (const { iteration, patch } of run.changes)
    byIteration.set(iteration, { ...byIteration.get(iteration), ...patch })
  return [...byIteration]
}

/** "household: λ 0.5, seed 3; λ 2 from iteration 12", "own: seed 3, in Key and chest". */
export function runName(run: Named): string {
  const world = run.settings.world
  const all = [writeSettings(difference(run), world), `seed ${run.settings.seed}`, inWorld(run)]
  const parts = all.filter((part) => part !== '')
  const changes = patches(run).map(([iteration, patch]) => `${writePatch(patch, world)} from iteration ${iteration}`)
  const replaced = (run.replacements ?? []).map(
    ({ iteration, role, model }) =>
      `${ROLE_TITLES[role].toLowerCase()} replaced by ${model} from iteration ${iteration}`,
  )
  return [`${run.preset}: ${parts.join(', ')}`, ...changes, ...replaced].join('; ')
}

export function writePatch(patch: LivePatch, world: Settings['world']): string {
  return writeSettings(patch, world)
}

/** Equal for runs that differ only in their seed and so form a mean. */
export function groupKey(run: Named): string {
  const { settings, replacements = [], origin, preset, worldFile } = run
  const { seed: _, ...rest } = settings
  const from = origin?.kind === 'branch' ? origin.iteration : null
  return JSON.stringify([
    preset,
    Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
    patches(run),
    replacements.map(({ iteration, role, model }) => [iteration, role, model]),
    from,
    worldFile?.hash,
  ])
}

/** The settings in which runs differ, each with one value per run: "1, 3 from iteration 2" where it was changed within the run. */
export function differingSettings(runs: readonly Named[]): { name: SettingName; label: string; values: string[] }[] {
  const first = runs[0]
  if (first === undefined) return []
  return (Object.keys(first.settings) as SettingName[])
    .map((name) => ({
      name,
      label: shortLabel(name, first.settings.world),
      values: runs.map((run) => historyOf(run, name)),
    }))
    .filter(({ values }) => values.some((value) => value !== values[0]))
}

function historyOf(run: Named, name: SettingName): string {
  const changes = patches(run).flatMap(([iteration, patch]: [number, Partial<Settings>]) => {
    const value = patch[name]
    return value === undefined ? [] : `${writeSetting(value)} from iteration ${iteration}`
  })
  return [writeSetting(run.settings[name]), ...changes].join(', ')
}

/** "key-and-chest.models, version 1a2b3c4d": the models that a run in a world from a file began with; '' where none has a version. */
export function modelsOfRun({ models = {} }: Pick<RunSummary, 'models'>): string {
  const versions = Object.values(models).map((kept) => {
    const source = keptSource(kept)
    const of = source.kind === 'checkpoint' ? modelsVersion(source.location) : null
    return of === null ? '' : `${of.folder}, version ${of.version}`
  })
  return [...new Set(versions)].filter((version) => version !== '').join('; ')
}
