/**
 * How the three shipped household models are trained. They start about where the paper's models do: the policy solves 35 to 45 % of
 * the held-out tasks, and the reward model judges 50 to 75 % of the steps correctly.
 */
import type { PolicyRecipe, RewardRecipe } from './corpus.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { TrainingPlan } from '../supervised-training.ts'
import type { TrainingPhase } from '../training.ts'

/**
 * It first learns the skill from flawless demonstrations, because noisy ones teach copying names and following a goal late or never;
 * then from noisy ones, which leave something to learn by reinforcement.
 */
export const POLICY: { shape: ModelShape; phases: TrainingPhase<PolicyRecipe>[] } = {
  shape: SMALL,
  phases: [
    {
      corpus: { slip: 0.1, maxSteps: 20, hints: 0.25 },
      plan: { steps: 2400, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
    },
    {
      corpus: { slip: 0.25, maxSteps: 20, hints: 0.25 },
      plan: { steps: 2400, episodesPerStep: 8, peakLearningRate: 2.5e-3, weightDecay: 0.01 },
    },
    {
      corpus: { slip: 0.5, maxSteps: 20, hints: 0.25 },
      plan: { steps: 200, episodesPerStep: 8, peakLearningRate: 5e-4, weightDecay: 0 },
    },
  ],
}

/**
 * Likewise: first true judgements, then lenient ones, like an untrained judge's. The consistency feedback R·S teaches the sign of
 * E[R | step] = E[O | step] + λ E[S | step], and steps of failed trajectories outnumber the others: a judge that doubts good steps
 * as much as bad ones would unlearn praising them before it learned to criticise the rest.
 */
export const REWARD: { shape: ModelShape; phases: TrainingPhase<RewardRecipe>[] } = {
  shape: SMALL,
  phases: [
    {
      corpus: { slips: [0.2, 0.7], maxSteps: 20, hints: 0.1, errors: { good: 0.05, bad: 0.05 } },
      plan: { steps: 1500, episodesPerStep: 6, peakLearningRate: 3e-3, weightDecay: 0.01 },
    },
    {
      corpus: { slips: [0.2, 0.8], maxSteps: 20, hints: 0.1, errors: { good: 0.08, bad: 0.55 } },
      plan: { steps: 200, episodesPerStep: 8, peakLearningRate: 5e-4, weightDecay: 0 },
    },
  ],
}

/** Finding valid rewrites to demonstrate is slow, so each demonstration is used several times. */
export const AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 3000,
  plan: { steps: 1500, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
