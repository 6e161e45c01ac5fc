/**
 * How the three shipped household models are trained (decision 12). They lack knowledge, not steadiness: the policy knows two of
 * the six kinds of task, and has hardly seen the other four; the reward model has seen all six, and the play of policies that
 * cannot do them.
 */
import type { JudgementRecipe, PolicyRecipe } from './corpus.ts'
import type { PlayRecipe } from '../played-games.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { TrainingPlan } from '../supervised-training.ts'

export const MAX_STEPS = 20

const ACTING: { shape: ModelShape; corpus: PolicyRecipe; plan: TrainingPlan } = {
  shape: SMALL,
  corpus: {
    common: ['pick_and_place_simple', 'look_at_obj_in_light'],
    rare: [
      'pick_clean_then_place_in_recep',
      'pick_heat_then_place_in_recep',
      'pick_cool_then_place_in_recep',
      'pick_two_obj_and_place',
    ],
    rareShare: 0.006,
    slip: 0.05,
    maxSteps: MAX_STEPS,
    hints: 0.25,
  },
  plan: { steps: 4800, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}

/** The policy is kept at two earlier strengths. The reward model learns to judge their play: its plan ends before that of the others. */
export const POLICY = { ...ACTING, kept: [2400, 3200] as const }

/** First it learns to read the world, as a policy that has seen ten times as many games of the rare kinds; then to judge. */
export const REWARD = {
  shape: SMALL,
  reading: { ...ACTING, corpus: { ...ACTING.corpus, rareShare: 0.06 }, kept: [2400] as const },
  judging: {
    play: { gamesOfEachPlayer: 1500, maxSteps: MAX_STEPS } satisfies PlayRecipe,
    corpus: {
      playedShare: 0.7,
      slips: [0, 0.5],
      misread: 0.6,
      maxSteps: MAX_STEPS,
      hints: 0.1,
      judgedRefusals: 0.25,
    } satisfies JudgementRecipe,
    plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 2e-3, weightDecay: 0.01 } satisfies TrainingPlan,
    /** A judge with much to learn: balanced accuracy 77 % on the fixed trajectories, in place of 85 %. */
    early: { steps: 120, episodesPerStep: 8, peakLearningRate: 2e-3, weightDecay: 0.01 } satisfies TrainingPlan,
  },
}

/** Finding valid rewrites to demonstrate is slow, so each demonstration is used several times. */
export const AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 3000,
  plan: { steps: 1500, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
