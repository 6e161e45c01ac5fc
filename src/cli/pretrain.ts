/** `npm run pretrain`: trains the shipped models from nothing, the same for the same seed. See USAGE. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { folderReader, writeModelFolder } from '../language-model/files/folder-reader.ts'
import { LanguageModel } from '../language-model/language-model.ts'
import { codingTraining } from '../pretraining/coding/trainings.ts'
import { householdTraining } from '../pretraining/household/trainings.ts'
import { configJson } from '../pretraining/model-shape.ts'
import { trainOnDemonstrations } from '../pretraining/supervised-training.ts'
import { ROLES, type Role, type Training } from '../pretraining/training.ts'
import { END_OF_RESPONSE } from '../pretraining/vocabulary.ts'

const TRAININGS = { household: householdTraining, coding: codingTraining } satisfies Record<
  string,
  (role: Role, seed: number) => Training
>
type World = keyof typeof TRAININGS
const WORLDS = Object.keys(TRAININGS) as World[]

const USAGE = `Usage: npm run pretrain -- [options]
  --world NAME   one of ${WORLDS.join(', ')} (household)
  --role NAME    one of ${ROLES.join(', ')}; all of them, one after the other, if left out
  --out FOLDER   where the model folders go (public/models)
  --seed N       of the fresh weights and of the demonstrations (0)
  --after N      start with phase N + 1, from the model that phase N left in FOLDER
  --help         this text
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
    // Every phase starts from the weights alone, with a fresh optimiser, so that it can be run again by itself.
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

function parseArguments(args: string[]): Arguments | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        world: { type: 'string' },
        // Former name of --world.
        setting: { type: 'string' },
        role: { type: 'string' },
        out: { type: 'string' },
        seed: { type: 'string' },
        after: { type: 'string' },
      },
    })
    const { role, out = 'public/models', seed = '0', after = '0' } = values
    const world = values.world ?? values.setting ?? 'household'
    if (!WORLDS.some((known) => known === world)) return `--world: "${world}" is none of ${WORLDS.join(', ')}.`
    if (role !== undefined && !ROLES.some((known) => known === role)) {
      return `--role: "${role}" is none of ${ROLES.join(', ')}.`
    }
    if (!/^\d{1,9}$/.test(seed)) return `--seed: "${seed}" is not a whole number from 0 to 999999999.`
    if (!/^[0-2]$/.test(after)) return `--after: "${after}" is none of 0, 1, 2.`
    return {
      world: world as World,
      roles: role === undefined ? ROLES : [role as Role],
      out,
      seed: Number(seed),
      after: Number(after),
    }
  } catch (error) {
    return (error as Error).message
  }
}

const args = process.argv.slice(2)
const options = parseArguments(args)
if (args.includes('--help')) process.stdout.write(USAGE)
else if (typeof options === 'string') {
  process.stderr.write(`${options}\n${USAGE}`)
  process.exitCode = 2
} else {
  for (const role of options.roles) await pretrain(role, options)
}
