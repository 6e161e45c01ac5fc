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

const READING = {
  shape: SMALL,
  corpus: { episodes: 1200, slips: [0, 0.3] } satisfies DemonstrationRecipe,
  plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 1e-3, weightDecay: 0.01 } satisfies TrainingPlan,
}

/** Stops as soon as it wins this share of held-out training tasks at temperature 1, which it is asked every few steps. */
export const POLICY = {
  ...READING,
  plan: { ...READING.plan, peakLearningRate: 5e-4 },
  enough: { accuracy: 0.25, tasks: 60, every: 5 },
}

/** First it learns to read the world, by acting well; then to judge play of its own at several strengths. */
export const REWARD = {
  shape: SMALL,
  reading: { ...READING, kept: [50, 100] as readonly number[] },
  judging: {
    play: { gamesOfEachPlayer: 250, maxSteps: MAX_STEPS } satisfies PlayRecipe,
    /** The others are demonstrations. */
    playedShare: 0.7,
    corpus: { episodes: 500, slips: [0, 0.7] } satisfies DemonstrationRecipe,
    plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 2e-3, weightDecay: 0.01 } satisfies TrainingPlan,
  },
}

export const AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 1000,
  plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
