/** The runs of a set of tables: one for each arm and seed, and one for all arms with equal settings. */
import { createHash } from 'node:crypto'
import { parseSettings } from '../../../method/presets.ts'
import { SettingsError, type Settings } from '../../../method/settings.ts'
import { SHARED_WORLDS } from '../../../pretraining/shared/chat-form.ts'
import { LEARNING_ROLES } from '../../../roles/learning.ts'
import { EARLY_JUDGE, sharedModel, shippedModel } from '../../../roles/shipped-models.ts'
import { evaluationInterval } from './budget.ts'
import type { ArmPlan, TablePlan } from './plan.ts'

export interface Job {
  /** Name of its files. Equal for equal runs, and only for them. */
  key: string
  preset: string
  settings: Settings
  iterations: number
  /** Folder of the start policy; null for the shipped one. */
  start: string | null
  /** Whether the early judge plays for the household's own. */
  startsEarly: boolean
  /** Where else to measure the models at the end; absent if they are the built-in ones, which know one world. */
  elsewhere?: readonly Place[]
}

export interface Place {
  preset: string
  settings: Settings
}

export interface JobOptions {
  /** Folder of each named start policy; null for the shipped one. */
  starts: Readonly<Record<string, string | null>>
  backend: string
  /** SHA-256 of models and trajectories by name, and of start policies by folder (provenance.ts). */
  models: Readonly<Record<string, string>>
}

/** Throws SettingsError. */
export function jobOf(plan: TablePlan, arm: ArmPlan, seed: number, options: JobOptions): Job {
  const settings = settingsOf(plan, arm, seed)
  const elsewhere = plan.startsShared ? otherWorlds(plan, settings, seed) : []
  const start = arm.start === undefined ? null : (options.starts[arm.start] ?? null)
  const identity = [
    entriesOf(settings),
    arm.iterations,
    options.backend,
    Object.entries(playersOf(plan, options.models)).filter(([name]) =>
      [{ settings }, ...elsewhere].some((each) => actsIn(name, each.settings)),
    ),
    start === null ? null : options.models[start],
    ...elsewhere.map((place) => entriesOf(place.settings)),
  ]
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12)
  const name = arm.preset.replaceAll('+', '-')
  const startsEarly = plan.startsEarly ?? false
  return {
    key: `${name}-s${seed}-${hash}`,
    preset: arm.preset,
    settings,
    iterations: arm.iterations,
    start,
    startsEarly,
    ...(plan.startsShared && { elsewhere }),
  }
}

function settingsOf({ evaluationTasks }: TablePlan, { iterations, preset, ...arm }: ArmPlan, seed: number): Settings {
  const settings = parseSettings(
    { evaluationTasks, evaluateEvery: evaluationInterval(iterations), ...arm.settings, seed },
    preset,
  )
  // Tables call the last evaluation the end.
  if (iterations % settings.evaluateEvery !== 0) {
    throw new SettingsError(
      `evaluateEvery ${settings.evaluateEvery} must divide the ${iterations} iterations of ${preset}, so that its end is evaluated.`,
      'evaluateEvery',
    )
  }
  return settings
}

const entriesOf = (settings: Settings) => Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))

/** The worlds of the other arms, each once, with their held-out tasks of this seed. */
function otherWorlds(plan: TablePlan, { world }: Settings, seed: number): Place[] {
  const places = plan.arms.map((arm): Place => ({ preset: arm.preset, settings: settingsOf(plan, arm, seed) }))
  const worlds = places.map(({ settings }) => settings.world)
  return places.filter(({ settings }, i) => settings.world !== world && worlds.indexOf(settings.world) === i)
}

const SHARED = LEARNING_ROLES.map((role) => [sharedModel(role), role] as const)

/** The hash of the model that plays each part in a table, by the name of the world's own model for it. */
export function playersOf(
  { startsEarly, startsShared }: Pick<TablePlan, 'startsEarly' | 'startsShared'>,
  { [EARLY_JUDGE]: early, ...models }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const own = Object.fromEntries(Object.entries(models).filter(([name]) => !SHARED.some(([shared]) => shared === name)))
  if (startsShared) {
    const shared = SHARED.flatMap(([name, role]) =>
      SHARED_WORLDS.map((world) => [shippedModel(world, role), models[name]!] as const),
    )
    return { ...own, ...Object.fromEntries(shared) }
  }
  return startsEarly ? { ...own, [shippedModel('household', 'reward')]: early! } : own
}

/** Whether a run depends on a model, or on the trajectories that measure judges: an arm without a part does without its model. */
export function actsIn(model: string, settings: Settings): boolean {
  const [world, part] = model.split('-')
  if (world !== settings.world) return false
  switch (part) {
    case 'reward':
    case 'trajectories':
      return asksJudge(settings)
    case 'author':
      return settings.adaptEnvironment && settings.rewrites === 'author'
    default:
      return true
  }
}

export const asksJudge = ({ signal, trainReward, adaptEnvironment }: Settings): boolean =>
  signal !== 'outcome' || trainReward || adaptEnvironment

/** The jobs of all tables, each once, seed by seed, so that the first seeds are complete first. */
export function jobsOf(plans: readonly TablePlan[], options: JobOptions): Job[] {
  const jobs = new Map<string, Job>()
  const seeds = [...new Set(plans.flatMap((plan) => plan.seeds))].sort((a, b) => a - b)
  for (const seed of seeds) {
    for (const plan of plans) {
      if (!plan.seeds.includes(seed)) continue
      for (const arm of plan.arms) {
        const job = jobOf(plan, arm, seed, options)
        if (!jobs.has(job.key)) jobs.set(job.key, job)
      }
    }
  }
  return [...jobs.values()]
}

/** Relative duration of a run: a judge makes an iteration take about two and a half times as long. */
export function costOf({ settings, iterations }: Pick<Job, 'settings' | 'iterations'>): number {
  return iterations * (asksJudge(settings) ? 2.5 : 1)
}
