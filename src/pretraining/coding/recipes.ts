/**
 * How the three shipped coding models are trained (decision 12). They lack knowledge, not steadiness: no demonstration has a
 * mistake. The policy has seen 850 programs, each eleven times: it is nearly as sure of what it cannot do as of what it can, so
 * that sampling costs it little. The reward model has seen few tests.
 */
import type { ProgramRecipe, TestRecipe } from './corpus.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { TrainingPlan } from '../supervised-training.ts'

export const CODING_POLICY: { shape: ModelShape; corpus: ProgramRecipe; demonstrations: number; plan: TrainingPlan } = {
  shape: SMALL,
  corpus: { slip: 0 },
  demonstrations: 850,
  plan: { steps: 200, episodesPerStep: 48, peakLearningRate: 3e-3, weightDecay: 0.01 },
}

export const CODING_REWARD: { shape: ModelShape; corpus: TestRecipe; plan: TrainingPlan } = {
  shape: SMALL,
  corpus: { slip: 0, boundary: 0.5 },
  plan: { steps: 600, episodesPerStep: 48, peakLearningRate: 3e-3, weightDecay: 0.01 },
}

/** Finding valid rewrites to demonstrate is slow, so each demonstration is used several times. */
export const CODING_AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 12_000,
  plan: { steps: 1400, episodesPerStep: 32, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
