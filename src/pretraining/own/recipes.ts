/**
 * How the small models of a world from a file are trained: in minutes, on demonstrations of its expert. The policy stops early, so
 * that it wins now and then and the loop has something to improve. A world's tasks are few and drawing them is slow, so
 * demonstrations are drawn once and used several times.
 */
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { PlayRecipe } from '../played-games.ts'
import type { TrainingPlan } from '../supervised-training.ts'

export const MAX_STEPS = 20

export interface DemonstrationRecipe {
  /** Episodes that are drawn. */
  episodes: number
  /** The share of slips of each is drawn uniformly from this range. */
  slips: readonly [number, number]
}

export const POLICY = {
  shape: SMALL,
  corpus: { episodes: 1200, slips: [0, 0.3] } satisfies DemonstrationRecipe,
  plan: { steps: 400, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 } satisfies TrainingPlan,
  /** Kept for weaker play. */
  kept: [250] as readonly number[],
}

/** First it learns to read the world, as the policy does; then to judge play of its own at two strengths. */
export const REWARD = {
  shape: SMALL,
  reading: POLICY,
  judging: {
    play: { gamesOfEachPlayer: 500, maxSteps: MAX_STEPS } satisfies PlayRecipe,
    /** The others are demonstrations. */
    playedShare: 0.7,
    corpus: { episodes: 500, slips: [0, 0.7] } satisfies DemonstrationRecipe,
    plan: { steps: 200, episodesPerStep: 8, peakLearningRate: 2e-3, weightDecay: 0.01 } satisfies TrainingPlan,
  },
}

export const AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 1000,
  plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
