/** Arguments of `npm run pretrain`. */
import { STRENGTHS, type Strength } from '../../method/judge-evaluation/fixed-trajectory.ts'
import { ROLES, type Role } from '../../method/ports.ts'
import { SHARED_WORLDS } from '../../pretraining/shared/chat-form.ts'
import { LEARNING_ROLES } from '../../roles/learning.ts'
import { SHARED_MODELS } from '../../roles/shipped-models.ts'
import { modelsFolder } from '../../worlds/own/models-folder.ts'
import { ArgumentError, oneOf, readArguments, refuseOptions, wholeNumber } from '../arguments.ts'
import { isWorldFile } from '../world-file.ts'

const WORLDS = ['household', 'coding', 'desktop'] as const
export type PretrainedWorld = (typeof WORLDS)[number]
/** Stands for all worlds that the shared models play in. */
export const SHARED = 'shared'

export const PRETRAIN_USAGE = `Usage: npm run pretrain -- [options]
  --world NAME   one of ${WORLDS.join(', ')} (household), or the file of a world of yours with an expert,
                 ./my-world.ts, whose models then are in ./my-world.models; or ${SHARED}, a policy and a reward
                 model in chat form for ${SHARED_WORLDS.join(' and ')} alike
  --role NAME    one of ${ROLES.join(', ')}; all by default
  --out FOLDER   folder for the model folders (public/models; with a file, beside it; of ${SHARED}, ${SHARED_MODELS})
  --seed N       seed of the initial weights and of the demonstrations (0)
  --after N      start with phase N + 1, from the model of phase N
                 Models of earlier phases and steps are kept in .cache/pretrain/seed-N. The household's reward model
                 learns from the policy's play, and trains the policy first if it is not there.
  --trajectories plays fixed trajectories for the world instead, and writes FOLDER/WORLD.json (public/trajectories)
  --policies weak=DIR,middling=DIR,strong=DIR
                 who plays them: model folders, each at temperature 1, or at T with DIR@T
  --help         shows this text
`

export interface PolicySource {
  folder: string
  temperature: number
}

export interface PretrainArguments {
  world: PretrainedWorld | typeof SHARED
  /** The file of a world of one's own, which takes the place of `world`; null for none. */
  file: string | null
  /** Who plays fixed trajectories; null trains models. */
  policies: Record<Strength, PolicySource> | null
  roles: readonly Role[]
  out: string
  seed: number
  after: number
}

/** Null for --help. Throws ArgumentError. */
export function parsePretrainArguments(args: string[]): PretrainArguments | null {
  const { values } = readArguments({
    args,
    options: {
      world: { type: 'string' },
      role: { type: 'string' },
      out: { type: 'string' },
      trajectories: { type: 'boolean', default: false },
      policies: { type: 'string' },
      seed: { type: 'string', default: '0' },
      after: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const { role, seed, after, trajectories, policies } = values
  const world = values.world ?? 'household'
  const file = isWorldFile(world) ? world : null
  if (file !== null && trajectories)
    throw new ArgumentError('--trajectories is for the worlds that ship, not for a file.')
  if (trajectories && policies === undefined) {
    throw new ArgumentError('--trajectories requires --policies weak=DIR,middling=DIR,strong=DIR.')
  }
  if (world === SHARED && role === 'author') {
    throw new ArgumentError('The shared models have no author; omit --role author.')
  }
  if (trajectories && world === SHARED) throw new ArgumentError('--trajectories is for one world at a time.')
  if (trajectories) refuseOptions(values, ['role', 'after'], 'is for training; omit it with --trajectories')
  if (!trajectories && policies !== undefined) throw new ArgumentError('--policies is for --trajectories.')
  return {
    world: file === null ? oneOf('world', world, [...WORLDS, SHARED] as const) : 'household',
    file,
    roles: role !== undefined ? [oneOf('role', role, ROLES)] : world === SHARED ? LEARNING_ROLES : ROLES,
    policies: policies === undefined ? null : policySources(policies),
    out: values.out ?? defaultFolder(file, world, trajectories),
    seed: wholeNumber('seed', seed, 0, 999_999_999),
    after: wholeNumber('after', after ?? '0', 0, 2),
  }
}

function defaultFolder(file: string | null, world: string, isOfTrajectories: boolean): string {
  if (file !== null) return modelsFolder(file)
  if (world === SHARED) return SHARED_MODELS
  return isOfTrajectories ? 'public/trajectories' : 'public/models'
}

/** Reads "weak=DIR,middling=DIR@1.2,strong=DIR". Throws ArgumentError. */
function policySources(text: string): Record<Strength, PolicySource> {
  const given = new Map(
    text.split(',').map((part) => [part.slice(0, Math.max(0, part.indexOf('='))), part.slice(part.indexOf('=') + 1)]),
  )
  const unknown = [...given.keys()].find((name) => !(STRENGTHS as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw new ArgumentError(
      `--policies names ${STRENGTHS.join(', ')}, not "${unknown}"; write weak=DIR,middling=DIR,strong=DIR.`,
    )
  }
  const sourceOf = (strength: Strength): PolicySource => {
    const source = given.get(strength)
    if (source === undefined || source === '') throw new ArgumentError(`--policies lacks ${strength}=DIR.`)
    const [, folder, temperature] = /^(.+?)(?:@(\d*\.?\d+))?$/.exec(source)!
    return { folder: folder!, temperature: temperature === undefined ? 1 : Number(temperature) }
  }
  return { weak: sourceOf('weak'), middling: sourceOf('middling'), strong: sourceOf('strong') }
}
