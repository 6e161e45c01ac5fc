/**
 * `npm run pretrain`: trains the shipped models from scratch, and plays the fixed trajectories that measure reward models. The
 * result depends only on the seed. See --help.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STRENGTHS, type Strength } from '../method/judge-evaluation/fixed-trajectory.ts'
import type { Role } from '../method/ports.ts'
import { folderReader } from '../language-model/files/folder-reader.ts'
import { ModelFileError } from '../language-model/files/model-reader.ts'
import { LanguageModel } from '../language-model/language-model.ts'
import { codingTraining } from '../pretraining/coding/trainings.ts'
import { desktopTraining } from '../pretraining/desktop/trainings.ts'
import { playTrajectories } from '../pretraining/fixed-trajectories.ts'
import { householdTraining } from '../pretraining/household/trainings.ts'
import { TRAJECTORY_WORLDS } from '../pretraining/trajectory-worlds.ts'
import type { Training } from '../pretraining/training.ts'
import { sharedTraining } from '../pretraining/shared/trainings.ts'
import { ownTrainings } from '../pretraining/own/trainings.ts'
import { OwnGuest } from '../worlds/own/guest.ts'
import { loadEngine } from '../worlds/sandbox/engine-binary.ts'
import { writeTrajectories } from '../worlds/stored-trajectories.ts'
import { errorText } from '../threads/error-text.ts'
import { ArgumentError } from './arguments.ts'
import { asArgument, readWorldFile } from './world-file.ts'
import {
  parsePretrainArguments,
  PRETRAIN_USAGE,
  SHARED,
  type PolicySource,
  type PretrainArguments,
  type PretrainedWorld,
} from './pretrain/arguments.ts'
import { KeptStages } from './pretrain/kept-stages.ts'
import { trainRole } from './pretrain/train-role.ts'

const TRAININGS = { household: householdTraining, coding: codingTraining, desktop: desktopTraining } satisfies Record<
  PretrainedWorld,
  (role: Role, seed: number) => Training
>
const OWN = 'own'

async function writeFixedTrajectories(
  world: PretrainedWorld,
  { out, seed }: PretrainArguments,
  policies: Record<Strength, PolicySource>,
): Promise<void> {
  const loaded = {} as Record<Strength, { model: LanguageModel; temperature: number }>
  for (const strength of STRENGTHS) {
    const { folder, temperature } = policies[strength]
    const model = await LanguageModel.load(folderReader(folder), 'cpu').catch((cause: unknown) => {
      throw cause instanceof ModelFileError
        ? new ArgumentError(`--policies ${strength}=${folder}: ${cause.message}`, { cause })
        : cause
    })
    loaded[strength] = { model, temperature }
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

async function trainModels({ world, roles, out, seed, after }: PretrainArguments): Promise<void> {
  const trainingOf = memoised((role) => {
    if (world !== SHARED) return TRAININGS[world](role, seed)
    if (role === 'author') throw new RangeError('The shared models have no author.')
    return sharedTraining(role, seed)
  })
  const run = { world, seed, trainingOf, stages: new KeptStages(world, seed), log: console.log }
  for (const role of roles) await trainRole(run, role, after, out)
}

/** Trains the models of a world of one's own. One without rewrites needs no author. Throws ArgumentError. */
async function trainOwnModels(file: string, { roles, out, seed, after }: PretrainArguments): Promise<void> {
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

try {
  const options = parsePretrainArguments(process.argv.slice(2))
  if (options === null) process.stdout.write(PRETRAIN_USAGE)
  else if (options.policies !== null && options.world !== SHARED)
    await writeFixedTrajectories(options.world, options, options.policies)
  else if (options.file !== null) await trainOwnModels(options.file, options)
  else await trainModels(options)
} catch (error) {
  const isBadArgument = error instanceof ArgumentError
  process.stderr.write(`${errorText(error)}\n${isBadArgument ? PRETRAIN_USAGE : ''}`)
  process.exitCode = isBadArgument ? 2 : 1
}
