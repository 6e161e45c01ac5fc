/** The arguments of `npm run loop`. */
import { ArgumentError, oneOf, readArguments, wholeNumber } from '../arguments.ts'
import { modelsFolder } from '../../worlds/own/models-folder.ts'
import { isWorldFile } from '../world-file.ts'
import { SHIPPED_FOLDER } from './models-folder.ts'
import { BACKENDS } from '../../language-model/backends/backend.ts'
import { ROLES, type Role } from '../../method/ports.ts'
import { hasEarlyModel } from '../../roles/shipped-models.ts'
import type { RoleSource, ServerKeys } from '../../roles/source.ts'
import { DEFAULT_PRESET, parseSettings, PRESETS } from '../../method/presets.ts'
import {
  currentName,
  settingsSchema,
  SettingsError,
  validValues,
  type Settings,
  type World,
} from '../../method/settings.ts'
import { WORLD_NAMES, WORLDS } from '../../worlds/index.ts'
import type { WorldImports } from '../../worlds/world.ts'
import type { BackendWish } from '../../sessions/loop-service.ts'
import {
  DEFAULT_LORA,
  KEY_VARIABLES,
  keysFrom,
  parseLora,
  parseRoleSource,
  RoleArgumentError,
} from './role-arguments.ts'

/** Paths of tasks to import, by the setting of their world. */
type ImportPaths = Partial<Record<WorldImports['setting'], string>>

export interface LoopArguments extends ImportPaths {
  iterations: number
  /** `auto` measures both if there are two. */
  backend: BackendWish
  preset: string
  settings: Settings
  isJson: boolean
  /** Folder that contains the built-in models' folders. */
  models: string
  /** The file of a world of one's own; absent for the others. */
  world?: string
  /** Sources of roles that no built-in model plays. */
  roles: Partial<Record<Role, RoleSource>>
  /** Keys of the servers among them. */
  keys: ServerKeys
  /** Path of the run log; absent for none. */
  out?: string
  /** Folder for the checkpoint; absent for none. */
  save?: string
  /** Workers that sample for a built-in model; null for one a core. */
  samplers: number | null
  /** Continues the run of `out` and `save` from its checkpoint, if there is one. */
  isResumed: boolean
}

const IMPORTS = Object.values(WORLDS).flatMap(({ imports }) => imports ?? [])
const IMPORT_OPTIONS = Object.fromEntries(IMPORTS.map(({ setting }) => [setting, { type: 'string' }])) as Record<
  WorldImports['setting'],
  { type: 'string' }
>

const BACKEND_WISHES = ['auto', ...BACKENDS] as const satisfies readonly BackendWish[]

const loraWords = `rank=${DEFAULT_LORA.rank},alpha=${DEFAULT_LORA.alpha},targets=all`

export const LOOP_USAGE = `npm run loop -- [options]

  --iterations N      iterations to run (5)
  --preset NAME       ${Object.keys(PRESETS).join(', ')}; joined with + (${DEFAULT_PRESET})
  --set KEY=VALUE     a setting, over the preset; may be repeated
  --world FILE        plays in a world of yours (docs/own-worlds.md), with the preset own
  --seed S            short for --set seed=S
  --eval-tasks N      short for --set evaluationTasks=N; held-out tasks of each split
${IMPORTS.map(({ setting, usage }) => `  --${`${setting} PATH`.padEnd(18)}${usage}\n`).join('')}  --backend NAME      ${BACKEND_WISHES.join(', ')}; auto measures each on the policy and uses the faster (auto)
  --samplers N        workers for each built-in or small model; the log does not depend on it (as many as cores, at most 4)
  --models DIR        folder with the built-in models, or one that --save wrote, whose models then all learn
                      (public/models; with --world, what npm run pretrain -- --world FILE wrote)
  --policy-model M    model of the policy; likewise --reward-model and --author-model. M is a Hugging Face folder,
                      hf:ORGANISATION/NAME on huggingface.co, openai:ADDRESS#MODEL or tinker:ADDRESS#BASE-MODEL
                      with the key in ${KEY_VARIABLES.openai} or ${KEY_VARIABLES.tinker}, or a source as a JSON object
  --lora OPTIONS      adapters to train on folders: rank=16,alpha=32,dropout=0,targets=all, or targets joined
                      with +; none trains all weights (${loraWords}). Tinker takes only rank=N
  --out FILE.jsonl    writes the run log there, a new file, and timings beside it
  --save DIR          writes the checkpoint there, a new folder, after every iteration: the models as Hugging Face
                      folders DIR/policy and DIR/reward, and the optimiser's state beside them
  --resume            continues the run of --out and --save from its checkpoint, up to --iterations in all;
                      starts it if there is no checkpoint yet
  --json              prints only metrics to stdout, as JSON lines
  --help              shows this text
`

const OPTIONS = {
  iterations: { type: 'string', default: '5' },
  preset: { type: 'string' },
  set: { type: 'string', multiple: true },
  world: { type: 'string' },
  seed: { type: 'string' },
  'eval-tasks': { type: 'string' },
  ...IMPORT_OPTIONS,
  backend: { type: 'string', default: 'auto' },
  samplers: { type: 'string' },
  models: { type: 'string' },
  'policy-model': { type: 'string' },
  'reward-model': { type: 'string' },
  'author-model': { type: 'string' },
  lora: { type: 'string' },
  out: { type: 'string' },
  save: { type: 'string' },
  resume: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const
const MOST_ITERATIONS = 1_000_000

/** Null for --help. Reads keys from the environment. Throws ArgumentError. */
export function parseLoopArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): LoopArguments | null {
  const { values } = readArguments({ args: [...args], options: OPTIONS })
  if (values.help) return null
  const { world, out, save } = values
  const preset = values.preset ?? (world === undefined ? DEFAULT_PRESET : 'own')
  const models = values.models ?? (world === undefined ? SHIPPED_FOLDER : modelsFolder(world))
  const iterations = wholeNumber('iterations', values.iterations, 1, MOST_ITERATIONS)
  const backend = oneOf('backend', values.backend, BACKEND_WISHES)
  const overrides: Record<string, unknown> = {}
  for (const assignment of values.set ?? []) {
    const [key, setting] = readAssignment(assignment)
    overrides[key] = setting
  }
  if (values.seed !== undefined) overrides['seed'] = wholeNumber('seed', values.seed, 0, 2 ** 31 - 1)
  if (values['eval-tasks'] !== undefined) {
    overrides['evaluationTasks'] = wholeNumber('eval-tasks', values['eval-tasks'], 0, 1000)
  }

  if (world !== undefined) {
    if (!isWorldFile(world))
      throw new ArgumentError(
        `--world names the file of a world of yours, not "${world}"; --preset ${world} may be what you mean.`,
      )
    overrides['world'] = 'own'
  }
  const paths: ImportPaths = {}
  for (const { setting, value: imported } of IMPORTS) {
    const path = values[setting]
    if (path === undefined) continue
    if ((overrides[setting] ?? imported) !== imported) {
      throw new ArgumentError(`--${setting} sets ${setting}=${imported}; omit --${setting} or --set ${setting}.`)
    }
    overrides[setting] = imported
    paths[setting] = path
  }
  const settings = settingsFrom(overrides, preset)
  checkImports(settings, paths)
  const roles = rolesFrom(values, settings.world)
  if (values.resume && (out === undefined || save === undefined))
    throw new ArgumentError('--resume needs --out and --save: the log and the checkpoint of the run to continue.')
  return {
    iterations,
    samplers: values.samplers === undefined ? null : wholeNumber('samplers', values.samplers, 1, 64),
    backend,
    preset,
    settings,
    isJson: values.json,
    isResumed: values.resume,
    models,
    roles,
    keys: keysFrom(Object.values(roles), environment),
    ...paths,
    ...(world === undefined ? {} : { world }),
    ...(out === undefined ? {} : { out }),
    ...(save === undefined ? {} : { save }),
  }
}

function rolesFrom(
  values: Partial<Record<'lora' | `${Role}-model`, string | undefined>>,
  world: World,
): Partial<Record<Role, RoleSource>> {
  const asArgument = <Result>(name: string, parse: () => Result): Result => {
    try {
      return parse()
    } catch (error) {
      if (error instanceof RoleArgumentError) throw new ArgumentError(`--${name}: ${error.message}.`, { cause: error })
      throw error
    }
  }
  const { lora } = values
  const adapters = lora === undefined ? DEFAULT_LORA : asArgument('lora', () => parseLora(lora))
  const given = ROLES.flatMap((role): [Role, RoleSource][] => {
    const spec = values[`${role}-model`]
    return spec === undefined ? [] : [[role, asArgument(`${role}-model`, () => parseRoleSource(spec, adapters))]]
  })
  const early = given.find(
    ([role, source]) => source.kind === 'built-in' && source.isEarly && !hasEarlyModel(world, role),
  )
  if (early !== undefined)
    throw new ArgumentError(
      `--${early[0]}-model: only the reward model of the household has an early one; omit isEarly.`,
    )
  if (lora !== undefined && !given.some(([, { kind }]) => kind === 'checkpoint' || kind === 'tinker')) {
    throw new ArgumentError(
      '--lora is for folders and Tinker servers; choose one with --policy-model or --reward-model.',
    )
  }
  return Object.fromEntries(given)
}

/** Checks that the imports are for the run's world, and that it has those that it needs. Throws ArgumentError. */
function checkImports(settings: Settings, paths: ImportPaths): void {
  for (const world of WORLD_NAMES) {
    const { presets, imports } = WORLDS[world]
    if (!imports) continue
    const { setting, value } = imports
    if (world !== settings.world && paths[setting] !== undefined) {
      throw new ArgumentError(
        `--${setting} is for the world ${world}, but this run's is ${settings.world}; add --preset ${presets.own}, or omit --${setting}.`,
      )
    }
    if (world === settings.world && settings[setting] === value && paths[setting] === undefined) {
      throw new ArgumentError(`${setting}=${value} needs --${setting} PATH, ${imports.path}.`)
    }
  }
}

/** "lambda=0.5" -> ["lambda", 0.5] */
export function readAssignment(text: string): [string, unknown] {
  const equals = text.indexOf('=')
  const key = currentName(equals < 0 ? text : text.slice(0, equals))
  if (!Object.hasOwn(settingsSchema.entries, key)) {
    throw new ArgumentError(
      `--set: "${key}" is not a setting; the settings are ${Object.keys(settingsSchema.entries).join(', ')}.`,
    )
  }
  if (equals < 0) {
    throw new ArgumentError(`--set ${key} needs a value: --set ${key}=VALUE, ${validValues(key as keyof Settings)}.`)
  }
  const value = text.slice(equals + 1)
  if (value === 'true' || value === 'false') return [key, value === 'true']
  return [key, value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value]
}

function settingsFrom(overrides: Record<string, unknown>, preset: string): Settings {
  try {
    return parseSettings(overrides, preset)
  } catch (error) {
    if (error instanceof SettingsError) throw new ArgumentError(error.message, { cause: error })
    throw error
  }
}
