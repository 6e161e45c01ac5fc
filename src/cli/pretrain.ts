/**
 * `npm run pretrain`: trains the shipped models from scratch, and plays the fixed trajectories that measure reward models. The
 * result depends only on the seed. See --help.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STRENGTHS, type Strength } from '../method/judge-evaluation/fixed-trajectory.ts'
import { ROLES, type Role } from '../method/ports.ts'
import { folderReader } from '../language-model/files/folder-reader.ts'
import { LanguageModel } from '../language-model/language-model.ts'
import { codingTraining } from '../pretraining/coding/trainings.ts'
import { desktopTraining } from '../pretraining/desktop/trainings.ts'
import { playTrajectories } from '../pretraining/fixed-trajectories.ts'
import { householdTraining } from '../pretraining/household/trainings.ts'
import { TRAJECTORY_WORLDS } from '../pretraining/trajectory-worlds.ts'
import type { Training } from '../pretraining/training.ts'
import { ownTrainings } from '../pretraining/own/trainings.ts'
import { OwnGuest } from '../worlds/own/guest.ts'
import { modelsFolder } from '../worlds/own/models-folder.ts'
import { loadEngine } from '../worlds/sandbox/engine-binary.ts'
import { writeTrajectories } from '../worlds/stored-trajectories.ts'
import { ArgumentError, oneOf, readArguments, wholeNumber } from './arguments.ts'
import { asArgument, isWorldFile, readWorldFile } from './world-file.ts'
import { KeptStages } from './pretrain/kept-stages.ts'
import { trainRole } from './pretrain/train-role.ts'

const TRAININGS = { household: householdTraining, coding: codingTraining, desktop: desktopTraining } satisfies Record<
  string,
  (role: Role, seed: number) => Training
>
type World = keyof typeof TRAININGS
const WORLDS = Object.keys(TRAININGS) as World[]
const OWN = 'own'

const USAGE = `Usage: npm run pretrain -- [options]
  --world NAME   one of ${WORLDS.join(', ')} (household), or the file of a world of yours with an expert,
                 ./my-world.ts, whose models then are in ./my-world.models
  --role NAME    one of ${ROLES.join(', ')}; all by default
  --out FOLDER   folder for the model folders (public/models; with a file, beside it)
  --seed N       seed of the initial weights and of the demonstrations (0)
  --after N      start with phase N + 1, from the model of phase N
                 Models of earlier phases and steps are kept in .cache/pretrain/seed-N. The household's reward model
                 learns from the policy's play, and trains the policy first if it is not there.
  --trajectories plays fixed trajectories for the world instead, and writes FOLDER/WORLD.json (public/trajectories)
  --policies weak=DIR,middling=DIR,strong=DIR
                 who plays them: model folders, each at temperature 1, or at T with DIR@T
  --help         shows this text
`

interface PolicySource {
  folder: string
  temperature: number
}

interface Arguments {
  world: World
  /** The file of a world of one's own, which takes the place of `world`; null for none. */
  file: string | null
  /** Who plays fixed trajectories; null trains models. */
  policies: Record<Strength, PolicySource> | null
  roles: readonly Role[]
  out: string
  seed: number
  after: number
}

async function writeFixedTrajectories(
  { world, out, seed }: Arguments,
  policies: Record<Strength, PolicySource>,
): Promise<void> {
  const loaded = {} as Record<Strength, { model: LanguageModel; temperature: number }>
  for (const strength of STRENGTHS) {
    const { folder, temperature } = policies[strength]
    loaded[strength] = { model: await LanguageModel.load(folderReader(folder), 'cpu'), temperature }
  }
  const opened = TRAJECTORY_WORLDS[world]()
  const tasks = await playTrajectories(opened, loaded, seed)
  const path = join(out, `${world}.json`)
  await mkdir(out, { recursive: true })
  await writeFile(path, writeTrajectories({ world, maxSteps: opened.maxSteps, tasks }))
  const all = tasks.flatMap(({ trajectories }) => trajectories)
  for (const strength of STRENGTHS) {
    const own = all.filter((trajectory) => trajectory.strength === strength)
    const solved = own.filter(({ outcome }) => outcome === 1).length
    console.log(`${strength}: ${own.length} trajectories, ${solved} solved`)
  }
  console.log(`${path}: ${tasks.length} tasks, ${all.reduce((sum, { labels }) => sum + labels.length, 0)} steps`)
}

async function trainModels({ world, roles, out, seed, after }: Arguments): Promise<void> {
  const trainingOf = memoised((role) => TRAININGS[world](role, seed))
  const run = { world, seed, trainingOf, stages: new KeptStages(world, seed), log: console.log }
  for (const role of roles) await trainRole(run, role, after, out)
}

/** Trains the models of a world of one's own. One without rewrites needs no author. Throws ArgumentError. */
async function trainOwnModels(file: string, { roles, out, seed, after }: Arguments): Promise<void> {
  const module = await readWorldFile(file)
  await asArgument(async () => {
    const guest = await OwnGuest.open(await loadEngine(), module)
    console.log(`${guest.name}: drawing demonstrations of its expert`)
    const trainingOf = memoised(ownTrainings(guest, module.hash, seed))
    const folder = join('.cache', 'pretrain', `${OWN}-${module.hash.slice(0, 16)}-seed-${seed}`)
    const run = { world: OWN, seed, trainingOf, stages: new KeptStages(OWN, seed, folder), log: console.log }
    for (const role of roles) {
      if (role !== 'author' || guest.parts.has('rewrite')) await trainRole(run, role, after, out)
      else console.log(`${guest.name} has no rewrites, so it needs no author.`)
    }
  })
}

function memoised(make: (role: Role) => Training): (role: Role) => Training {
  const made = new Map<Role, Training>()
  return (role) => {
    const training = made.get(role) ?? make(role)
    made.set(role, training)
    return training
  }
}

/** Null for --help. Throws ArgumentError. */
function parsePretrainArguments(args: string[]): Arguments | null {
  const { values } = readArguments({
    args,
    options: {
      world: { type: 'string' },
      // Former name of --world.
      setting: { type: 'string' },
      role: { type: 'string' },
      out: { type: 'string' },
      trajectories: { type: 'boolean', default: false },
      policies: { type: 'string' },
      seed: { type: 'string', default: '0' },
      after: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const { role, seed, after, trajectories, policies } = values
  const world = values.world ?? values.setting ?? 'household'
  const file = isWorldFile(world) ? world : null
  if (file !== null && trajectories)
    throw new ArgumentError('--trajectories is for the worlds that ship, not for a file.')
  if (trajectories && policies === undefined) {
    throw new ArgumentError('--trajectories requires --policies weak=DIR,middling=DIR,strong=DIR.')
  }
  if (!trajectories && policies !== undefined) throw new ArgumentError('--policies is for --trajectories.')
  return {
    world: file === null ? oneOf('world', world, WORLDS) : 'household',
    file,
    roles: role === undefined ? ROLES : [oneOf('role', role, ROLES)],
    policies: policies === undefined ? null : policySources(policies),
    out: values.out ?? (file !== null ? modelsFolder(file) : trajectories ? 'public/trajectories' : 'public/models'),
    seed: wholeNumber('seed', seed, 0, 999_999_999),
    after: wholeNumber('after', after, 0, 2),
  }
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

try {
  const options = parsePretrainArguments(process.argv.slice(2))
  if (options === null) process.stdout.write(USAGE)
  else if (options.policies !== null) await writeFixedTrajectories(options, options.policies)
  else if (options.file !== null) await trainOwnModels(options.file, options)
  else await trainModels(options)
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n${USAGE}`)
  process.exitCode = 2
}
