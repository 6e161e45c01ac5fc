/**
 * How the three shipped coding models are trained. They start with something left to learn: the policy solves 30 to 45 % of the
 * held-out problems, and 30 to 45 % of the reward model's tests are true, few of which detect wrong programs.
 *
 * As in the household, they first learn the skill from flawless demonstrations, and mistakes come last.
 */
import type { ProgramRecipe, TestRecipe } from './corpus.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { TrainingPlan } from '../supervised-training.ts'
import type { TrainingPhase } from '../training.ts'

export const CODING_POLICY: { shape: ModelShape; phases: TrainingPhase<ProgramRecipe>[] } = {
  shape: SMALL,
  phases: [
    {
      corpus: { slip: 0.02 },
      plan: { steps: 800, episodesPerStep: 48, peakLearningRate: 3e-3, weightDecay: 0.01 },
    },
    {
      corpus: { slip: 0.65 },
      plan: { steps: 200, episodesPerStep: 48, peakLearningRate: 5e-4, weightDecay: 0 },
    },
  ],
}

export const CODING_REWARD: { shape: ModelShape; phases: TrainingPhase<TestRecipe>[] } = {
  shape: SMALL,
  phases: [
    {
      corpus: { slip: 0, boundary: 0.5 },
      plan: { steps: 1100, episodesPerStep: 48, peakLearningRate: 3e-3, weightDecay: 0.01 },
    },
    {
      corpus: { slip: 0, boundary: 0.5 },
      plan: { steps: 2400, episodesPerStep: 48, peakLearningRate: 2.5e-3, weightDecay: 0.01 },
    },
    {
      corpus: { slip: 0.5, boundary: 0.15 },
      plan: { steps: 200, episodesPerStep: 48, peakLearningRate: 5e-4, weightDecay: 0 },
    },
  ],
}

/** Finding valid rewrites to demonstrate is slow, so each demonstration is used several times. */
export const CODING_AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 12_000,
  plan: { steps: 1400, episodesPerStep: 32, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
