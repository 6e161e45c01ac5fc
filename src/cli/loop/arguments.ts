/** The arguments of `npm run loop`: what they mean, and one line that helps where they are wrong. */
import { BACKENDS } from '../../language-model/backends/backend.ts'
import { ROLES, type Role } from '../../method/ports.ts'
import type { RoleSource, ServerKeys } from '../../roles/source.ts'
import {
  DEFAULT_PRESET,
  currentName,
  parseSettings,
  PRESETS,
  settingsSchema,
  SettingsError,
  validValues,
  type Settings,
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
  /** `auto` measures both where there are two. */
  backend: BackendWish
  preset: string
  settings: Settings
  isJson: boolean
  /** Folder of the folders of the built-in models. */
  models: string
  /** Who plays, where it is not a built-in model. */
  roles: Partial<Record<Role, RoleSource>>
  /** Of servers among them. */
  keys: ServerKeys
  /** The log, if one is wanted. */
  out?: string
  /** Folder for the checkpoints, if they are wanted. */
  save?: string
}

const IMPORTS = Object.values(WORLDS).map(({ imports }) => imports)

const BACKEND_WISHES = ['auto', ...BACKENDS] as const satisfies readonly BackendWish[]

/** A command line that cannot be; the message is one line for people. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

const loraWords = `rank=${DEFAULT_LORA.rank},alpha=${DEFAULT_LORA.alpha},targets=all`

export const USAGE = `npm run loop -- [options]

  --iterations N      iterations to run (5)
  --preset NAME       ${Object.keys(PRESETS).join(', ')}; joined with + (${DEFAULT_PRESET})
  --set KEY=VALUE     a setting, over the preset; may be repeated
  --seed S            short for --set seed=S
  --eval-tasks N      short for --set evaluationTasks=N; held-out tasks of each split
${IMPORTS.map(({ setting, usage }) => `  --${`${setting} PATH`.padEnd(18)}${usage}\n`).join('')}  --backend NAME      ${BACKEND_WISHES.join(', ')}; auto measures each on the policy and takes the faster (auto)
  --models DIR        folder with the built-in models (public/models)
  --policy-model M    who plays the policy; likewise --reward-model and --author-model. M is a Hugging Face folder,
                      hf:ORGANISATION/NAME on huggingface.co, openai:ADDRESS#MODEL or tinker:ADDRESS#BASE-MODEL
                      with the key in ${KEY_VARIABLES.openai} or ${KEY_VARIABLES.tinker}, or a source as a JSON object
  --lora OPTIONS      adapters that are trained on folders: rank=16,alpha=32,dropout=0,targets=all, or targets joined
                      with +; none trains all weights (${loraWords})
  --out FILE.jsonl    writes the run log there, and timings beside it
  --save DIR          writes the checkpoints of policy and reward model there, after every iteration
  --json              metrics as JSON lines, and nothing else on stdout
  --help              this text
`

const VALUED = [
  'iterations',
  'preset',
  'set',
  'seed',
  'eval-tasks',
  'backend',
  'models',
  'policy-model',
  'reward-model',
  'author-model',
  'lora',
  'out',
  'save',
] as const
type Valued = (typeof VALUED)[number] | WorldImports['setting']
const FLAGS = ['json', 'help'] as const
const MOST_ITERATIONS = 1_000_000

/** Null when help was asked for. Keys are of the environment. Throws ArgumentError. */
export function parseLoopArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): LoopArguments | null {
  const given = readOptions(args)
  if (given.flags.has('help')) return null
  const value = (name: Valued) => given.values.get(name)?.at(-1)

  const iterations = wholeNumber('iterations', value('iterations') ?? '5', 1, MOST_ITERATIONS)
  const backend = BACKEND_WISHES.find((name) => name === (value('backend') ?? 'auto'))
  if (backend === undefined) {
    throw new ArgumentError(`--backend must be one of ${BACKEND_WISHES.join(', ')}, not "${value('backend')}".`)
  }
  const preset = value('preset') ?? DEFAULT_PRESET
  const overrides: Record<string, unknown> = {}
  for (const assignment of given.values.get('set') ?? []) {
    const [key, setting] = readAssignment(assignment)
    overrides[key] = setting
  }
  const seed = value('seed')
  if (seed !== undefined) overrides['seed'] = wholeNumber('seed', seed, 0, 2 ** 31 - 1)
  const evaluationTasks = value('eval-tasks')
  if (evaluationTasks !== undefined) overrides['evaluationTasks'] = wholeNumber('eval-tasks', evaluationTasks, 0, 1000)

  const paths: ImportPaths = {}
  for (const { setting, value: imported } of IMPORTS) {
    const path = value(setting)
    if (path === undefined) continue
    if ((overrides[setting] ?? imported) !== imported) {
      throw new ArgumentError(`--${setting} sets ${setting}=${imported}; leave it or --set ${setting} out.`)
    }
    overrides[setting] = imported
    paths[setting] = path
  }
  const settings = settingsFrom(overrides, preset)
  checkImports(settings, paths)
  const roles = rolesFrom(value)
  const out = value('out')
  const save = value('save')
  return {
    iterations,
    backend,
    preset,
    settings,
    isJson: given.flags.has('json'),
    models: value('models') ?? 'public/models',
    roles,
    keys: keysFrom(Object.values(roles), environment),
    ...paths,
    ...(out === undefined ? {} : { out }),
    ...(save === undefined ? {} : { save }),
  }
}

function rolesFrom(value: (name: 'lora' | `${Role}-model`) => string | undefined): Partial<Record<Role, RoleSource>> {
  const asArgument = <Result>(name: string, parse: () => Result): Result => {
    try {
      return parse()
    } catch (error) {
      if (error instanceof RoleArgumentError) throw new ArgumentError(`--${name}: ${error.message}.`, { cause: error })
      throw error
    }
  }
  const lora = value('lora')
  const adapters = lora === undefined ? DEFAULT_LORA : asArgument('lora', () => parseLora(lora))
  const given = ROLES.flatMap((role): [Role, RoleSource][] => {
    const spec = value(`${role}-model`)
    return spec === undefined ? [] : [[role, asArgument(`${role}-model`, () => parseRoleSource(spec, adapters))]]
  })
  if (lora !== undefined && !given.some(([, { kind }]) => kind === 'checkpoint' || kind === 'tinker')) {
    throw new ArgumentError('--lora is for folders and Tinker servers; name one with --policy-model or --reward-model.')
  }
  return Object.fromEntries(given)
}

/** Imports are for the world of the run, and there are some where it needs them. Throws ArgumentError. */
function checkImports(settings: Settings, paths: ImportPaths): void {
  for (const world of WORLD_NAMES) {
    const { presets, imports } = WORLDS[world]
    const { setting, value } = imports
    if (world !== settings.world && paths[setting] !== undefined) {
      throw new ArgumentError(
        `--${setting} is for the world ${world}, and this run's is ${settings.world}; add --preset ${presets.own}, or leave it out.`,
      )
    }
    if (world === settings.world && settings[setting] === value && paths[setting] === undefined) {
      throw new ArgumentError(`${setting}=${value} needs --${setting} PATH, ${imports.path}.`)
    }
  }
}

function readOptions(args: readonly string[]) {
  const values = new Map<string, string[]>()
  const flags = new Set<string>()
  const valued: readonly string[] = [...VALUED, ...IMPORTS.map(({ setting }) => setting)]
  const valid = [...valued, ...FLAGS].map((name) => `--${name}`).join(', ')
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] ?? ''
    const [, name = '', inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (FLAGS.some((flag) => flag === name) && inline === undefined) flags.add(name)
    else if (valued.includes(name)) {
      const next = inline ?? args[++i]
      if (next === undefined || (inline === undefined && next.startsWith('--'))) {
        throw new ArgumentError(`--${name} needs a value.`)
      }
      values.set(name, [...(values.get(name) ?? []), next])
    } else throw new ArgumentError(`Unknown argument "${argument}"; the arguments are ${valid}.`)
  }
  return { values, flags }
}

function wholeNumber(name: string, text: string, low: number, high: number): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isInteger(number) || number < low || number > high) {
    throw new ArgumentError(`--${name} must be a whole number from ${low} to ${high}, not "${text}".`)
  }
  return number
}

/** "lambda=0.5" -> ["lambda", 0.5] */
function readAssignment(text: string): [string, unknown] {
  const equals = text.indexOf('=')
  const key = currentName(equals < 0 ? text : text.slice(0, equals))
  if (!Object.hasOwn(settingsSchema.entries, key)) {
    throw new ArgumentError(
      `--set: "${key}" is no setting; they are ${Object.keys(settingsSchema.entries).join(', ')}.`,
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
