/** Training data of the household's policy and reward model: demonstrations, as pieces of their prompts. */
import {
  demonstrate,
  demonstrateJudgement,
  type Demonstration,
  type JudgementErrors,
} from '../../worlds/household/roles/demonstrations.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { chance, seededRandom, unit, type Random } from '../../worlds/random.ts'
import { householdFormats, judgement, policyResponse } from '../../worlds/household/roles/plain-roles.ts'
import type { Piece } from '../demonstration-corpus.ts'

/** Weight of text that the models only read: enough to learn the world's language. */
const READING_WEIGHT = 0.2

export interface PolicyRecipe {
  /** Share of random commands in the demonstrations. */
  slip: number
  maxSteps: number
  /** Share of episodes whose instruction has a hint. */
  hints: number
}

export interface RewardRecipe {
  /** The share of slips is drawn uniformly from this range, so that the corpus has good and bad play. */
  slips: readonly [number, number]
  maxSteps: number
  hints: number
  /** Share of judgements that are wrong, of good steps and of bad ones. */
  errors: JudgementErrors
}

/** Episode `index` of the policy's corpus. */
export function policyPieces(recipe: PolicyRecipe, seed: number, index: number): Piece[] {
  const random = seededRandom('policy corpus', seed, index)
  const episode = demonstrationOf(seed, index, recipe.slip, recipe, random)
  const { policy } = householdFormats
  return [
    { text: policy.opening(episode.opening), weight: 0 },
    ...episode.steps.flatMap(({ thought, command, observation }): Piece[] => [
      { text: policyResponse(thought, command), weight: 1, isResponse: true },
      { text: policy.afterResponse(observation), weight: READING_WEIGHT },
    ]),
  ]
}

/** Episode `index` of the reward model's corpus: a transcript with a judgement of every step. */
export function rewardPieces(recipe: RewardRecipe, seed: number, index: number): Piece[] {
  const random = seededRandom('reward corpus', seed, index)
  const slip = recipe.slips[0] + (recipe.slips[1] - recipe.slips[0]) * unit(random)
  const episode = demonstrationOf(seed, index, slip, recipe, random)
  const { reward } = householdFormats
  return [
    { text: reward.opening(episode.opening), weight: 0 },
    ...episode.steps.flatMap((step): Piece[] => {
      const { reasoning, score } = demonstrateJudgement(step, recipe.errors, random)
      const response = policyResponse(step.thought, step.command)
      return [
        { text: reward.step({ response, observation: step.observation }), weight: READING_WEIGHT },
        { text: judgement(reasoning, score), weight: 1, isResponse: true, asideCue: reward.cue },
      ]
    }),
  ]
}

function demonstrationOf(
  seed: number,
  index: number,
  slip: number,
  { maxSteps, hints }: { maxSteps: number; hints: number },
  random: Random,
): Demonstration {
  const game = generateGame({ seed: seed * 1_000_003 + index, split: 'train', sceneSize: 'compact' })
  return demonstrate(game, { slip, maxSteps, withHint: chance(random, hints) }, random)
}
