/** `npm run pretrain`: trains the shipped models from scratch; the result depends only on the seed. See --help. */
import { join } from 'node:path'
import { ROLES, type Role } from '../method/ports.ts'
import { folderReader, writeModelFolder } from '../language-model/files/folder-reader.ts'
import { LanguageModel } from '../language-model/language-model.ts'
import { codingTraining } from '../pretraining/coding/trainings.ts'
import { householdTraining } from '../pretraining/household/trainings.ts'
import { configJson } from '../pretraining/model-shape.ts'
import { trainOnDemonstrations } from '../pretraining/supervised-training.ts'
import type { Training } from '../pretraining/training.ts'
import { END_OF_RESPONSE } from '../pretraining/vocabulary.ts'
import { ArgumentError, oneOf, readArguments, wholeNumber } from './arguments.ts'

const TRAININGS = { household: householdTraining, coding: codingTraining } satisfies Record<
  string,
  (role: Role, seed: number) => Training
>
type World = keyof typeof TRAININGS
const WORLDS = Object.keys(TRAININGS) as World[]

const USAGE = `Usage: npm run pretrain -- [options]
  --world NAME   one of ${WORLDS.join(', ')} (household)
  --role NAME    one of ${ROLES.join(', ')}; all by default
  --out FOLDER   folder for the model folders (public/models)
  --seed N       seed of the initial weights and of the demonstrations (0)
  --after N      start with phase N + 1, from the model that phase N wrote to FOLDER
  --help         shows this text
`
const REPORT_EVERY = 50
const MEASURE_EVERY = 400

interface Arguments {
  world: World
  roles: readonly Role[]
  out: string
  seed: number
  after: number
}

async function pretrain(role: Role, { world, out, seed, after }: Arguments): Promise<void> {
  const { shape, tokenizer, phases, standing } = TRAININGS[world](role, seed)
  const { vocab } = tokenizer.model
  const name = `${world}-${role}`
  const folderOf = (phase: number) => join(out, phase === phases.length ? name : `${name}.phase-${phase}`)
  let first = 0
  for (const [index, { plan, pieces }] of phases.entries()) {
    const offset = first
    first += plan.steps * plan.episodesPerStep
    if (index < after) continue
    // Every phase starts from weights with a fresh optimiser, so that it can be run again separately.
    const model =
      index === 0
        ? await LanguageModel.fresh(
            configJson(shape, Object.keys(vocab).length, vocab[END_OF_RESPONSE]!),
            tokenizer,
            seed,
            'cpu',
          )
        : await LanguageModel.load(folderReader(folderOf(index)), 'cpu')
    console.log(
      `${name} phase ${index + 1}: ${model.parameterCount} parameters, vocabulary ${Object.keys(vocab).length}`,
    )
    for await (const report of trainOnDemonstrations(model, (i) => pieces(offset + i), plan, REPORT_EVERY)) {
      const { step, loss, tokensPerSecond } = report
      const isMeasured = step % MEASURE_EVERY === 0 || step === plan.steps
      const note = isMeasured ? `, ${await standing(model)}` : ''
      console.log(`  step ${step}: loss ${loss.toFixed(4)}, ${tokensPerSecond.toFixed(0)} tokens/s${note}`)
    }
    await writeModelFolder(folderOf(index + 1), await model.saveFolder())
    await model.dispose()
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
      out: { type: 'string', default: 'public/models' },
      seed: { type: 'string', default: '0' },
      after: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const { role, out, seed, after } = values
  return {
    world: oneOf('world', values.world ?? values.setting ?? 'household', WORLDS),
    roles: role === undefined ? ROLES : [oneOf('role', role, ROLES)],
    out,
    seed: wholeNumber('seed', seed, 0, 999_999_999),
    after: wholeNumber('after', after, 0, 2),
  }
}

try {
  const options = parsePretrainArguments(process.argv.slice(2))
  if (options === null) process.stdout.write(USAGE)
  else for (const role of options.roles) await pretrain(role, options)
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n${USAGE}`)
  process.exitCode = 2
}
