/** What it takes to train each household model from nothing: its shape, its words, its demonstrations, and how it stands. */
import { HouseholdEnvironment } from '../environments/household/environment.ts'
import { generatedGames } from '../environments/household/game-source.ts'
import { generateGame } from '../environments/household/generator.ts'
import { householdFormats } from '../environments/household/roles.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import { authorPieces } from './author-corpus.ts'
import type { Piece } from './demonstration-corpus.ts'
import { policyPieces, rewardPieces } from './household-corpus.ts'
import { AUTHOR, POLICY, REWARD, type ModelShape } from './household-recipes.ts'
import { householdTokenizer } from './household-tokenizer.ts'
import { demonstratedEpisode, measureAuthor, measureReward, playEpisodes } from './measure-household.ts'
import type { TrainingPlan } from './supervised-training.ts'
import type { TokenizerFile } from './vocabulary.ts'

export const ROLES = ['policy', 'reward', 'author'] as const
export type Role = (typeof ROLES)[number]

export interface Training {
  shape: ModelShape
  tokenizer: TokenizerFile
  phases: { plan: TrainingPlan; pieces(index: number): readonly Piece[] }[]
  /** One line on how good the model is, on held-out games. */
  standing(model: LanguageModel): Promise<string>
}

const MAX_STEPS = 20
/** Slips in the play that the reward model is measured on: about as good as the shipped policy. */
const JUDGED_SLIP = 0.5

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
  const { valid, proposed } = await measureAuthor(model, environment, householdFormats, MAX_STEPS, 1)
  return `valid attempts ${valid.toFixed(3)}, tasks with a valid one among 8 ${proposed.toFixed(3)}`
}
