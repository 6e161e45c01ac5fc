/** The training of each household model. */
import { HouseholdEnvironment } from '../../worlds/household/environment.ts'
import { generatedGames } from '../../worlds/household/game-source.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import type { LanguageModel } from '../../language-model/language-model.ts'
import { authorPieces } from '../author-corpus.ts'
import { policyPieces, rewardPieces } from './corpus.ts'
import { AUTHOR, POLICY, REWARD } from './recipes.ts'
import { householdTokenizer } from './tokenizer.ts'
import { demonstratedEpisode, measureReward } from './measure.ts'
import { measureAuthor, playEpisodes } from '../measure-roles.ts'
import type { Role } from '../../method/ports.ts'
import type { Training } from '../training.ts'

const MAX_STEPS = 20
/** Share of slips in the play that measures the reward model: about as good as the shipped policy. */
const JUDGED_SLIP = 0.5
const AUTHOR_MEASURE = {
  easier: 'went to a place seen before x31; nothing happened x12',
  harder: 'searched a new place x30; the goal is done x8',
  maxSteps: MAX_STEPS,
  seed: 1,
}

export function householdTraining(role: Role, seed: number): Training {
  switch (role) {
    case 'policy':
      return {
        shape: POLICY.shape,
        tokenizer: householdTokenizer([]),
        phases: POLICY.phases.map(({ corpus, plan }) => ({
          plan,
          pieces: (index) => policyPieces(corpus, seed, index),
        })),
        standing: policyStanding,
      }
    case 'reward':
      return {
        shape: REWARD.shape,
        tokenizer: householdTokenizer([]),
        phases: REWARD.phases.map(({ corpus, plan }) => ({
          plan,
          pieces: (index) => rewardPieces(corpus, seed, index),
        })),
        standing: rewardStanding,
      }
    case 'author': {
      const demonstrations = Array.from({ length: AUTHOR.demonstrations }, (_, index) => authorPieces(seed, index))
      return {
        shape: AUTHOR.shape,
        tokenizer: householdTokenizer(demonstrations.flat().map(({ text }) => text)),
        phases: [{ plan: AUTHOR.plan, pieces: (index) => demonstrations[index % demonstrations.length]! }],
        standing: authorStanding,
      }
    }
  }
}

async function policyStanding(model: LanguageModel): Promise<string> {
  const environment = new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })
  const options = { split: 'id', tasks: 200, maxSteps: MAX_STEPS, seed: 1 } as const
  const episodes = await playEpisodes(model, environment, householdFormats, options)
  const won = episodes.filter(({ outcome }) => outcome === 1).length
  return `held-out accuracy ${(won / episodes.length).toFixed(3)}`
}

async function rewardStanding(model: LanguageModel): Promise<string> {
  const episodes = Array.from({ length: 100 }, (_, seed) =>
    demonstratedEpisode(generateGame({ seed, split: 'id', sceneSize: 'compact' }), JUDGED_SLIP, MAX_STEPS, seed),
  )
  const { process, outcome, unparsable } = await measureReward(model, householdFormats.reward, episodes, 1)
  return `process accuracy ${process.toFixed(3)}, outcome accuracy ${outcome.toFixed(3)}, unparsable ${unparsable.toFixed(3)}`
}

async function authorStanding(model: LanguageModel): Promise<string> {
  const environment = new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })
  const { valid, proposed } = await measureAuthor(model, environment, householdFormats, AUTHOR_MEASURE)
  return `valid attempts ${valid.toFixed(3)}, tasks with a valid one among 8 ${proposed.toFixed(3)}`
}
