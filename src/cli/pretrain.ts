/**
 * Trains the shipped household models from nothing, reproducibly:
 *
 *     npm run pretrain -- [--role policy|reward|author] [--out public/models] [--seed S] [--steps N]
 *
 * Without --role all of them, one after the other.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { householdFormats } from '../environments/household/roles.ts'
import { HouseholdEnvironment } from '../environments/household/environment.ts'
import { folderReader, writeModelFolder } from '../language-model/folder-reader.ts'
import { LanguageModel } from '../language-model/language-model.ts'
import { policyPieces, rewardPieces } from '../pretraining/household-corpus.ts'
import { configJson, POLICY, REWARD } from '../pretraining/household-recipes.ts'
import { householdTokenizer } from '../pretraining/household-tokenizer.ts'
import { measureReward, playEpisodes } from '../pretraining/measure-household.ts'
import { trainOnDemonstrations } from '../pretraining/supervised-training.ts'
import { END_OF_RESPONSE } from '../pretraining/vocabulary.ts'

const ROLES = ['policy', 'reward'] as const

const { values: options } = parseArgs({
  options: {
    role: { type: 'string' },
    out: { type: 'string', default: 'public/models' },
    seed: { type: 'string', default: '0' },
    steps: { type: 'string' },
    slip: { type: 'string' },
    error: { type: 'string' },
  },
})

const seed = Number(options.seed)
const tokenizer = householdTokenizer([])
const environment = new HouseholdEnvironment({ sceneSize: 'compact', stepLimit: 20 })

for (const role of ROLES) {
  if (options.role && options.role !== role) continue
  const recipe = role === 'policy' ? POLICY : REWARD
  const plan = { ...recipe.plan, ...(options.steps ? { steps: Number(options.steps) } : {}) }
  if (options.slip) POLICY.corpus.slip = Number(options.slip)
  if (options.error) REWARD.corpus.error = Number(options.error)
  const vocabulary = Object.keys(tokenizer.model.vocab).length
  const config = configJson(recipe.shape, vocabulary, tokenizer.model.vocab[END_OF_RESPONSE]!)
  const model = await LanguageModel.fresh(config, tokenizer, seed, 'cpu')
  console.log(`${role}: ${model.parameterCount} parameters, vocabulary ${vocabulary}`)
  const pieces = (index: number) =>
    role === 'policy' ? policyPieces(POLICY.corpus, seed, index) : rewardPieces(REWARD.corpus, seed, index)
  const started = performance.now()
  for await (const { step, loss, tokensPerSecond } of trainOnDemonstrations(model, pieces, plan, 50)) {
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    let note = ''
    if (step % 250 === 0 && role === 'policy') note = `id ${await accuracyOf(model, 100)}`
    console.log(`${role} step ${step} loss ${loss.toFixed(4)} ${tokensPerSecond.toFixed(0)} tokens/s ${seconds} s ${note}`)
  }
  await writeModelFolder(join(options.out, `household-${role}`), await model.saveFolder())
  if (role === 'policy') console.log(`policy id ${await accuracyOf(model, 300)}`)
  else {
    const policy = await LanguageModel.load(folderReader(join(options.out, 'household-policy')), 'cpu')
    const episodes = await playEpisodes(policy, environment, householdFormats, { split: 'id', tasks: 60, maxSteps: 20, seed: 1 })
    console.log('reward', await measureReward(model, householdFormats, episodes, 1))
  }
}

async function accuracyOf(model: LanguageModel, tasks: number): Promise<number> {
  const episodes = await playEpisodes(model, environment, householdFormats, { split: 'id', tasks, maxSteps: 20, seed: 1 })
  return episodes.filter(({ outcome }) => outcome === 1).length / tasks
}
