/**
 * How the start models that all worlds share are trained: on each world's usual demonstrations, but fewer of them, so that they know
 * something of every world and master none. The judge starts from the policy, which can read the worlds already, and learns from its play
 * at two strengths.
 */
import * as desktop from '../desktop/recipes.ts'
import * as household from '../household/recipes.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { PlayRecipe } from '../played-games.ts'
import type { TrainingPlan } from '../supervised-training.ts'
import type { SharedWorld } from './chat-form.ts'

export const MAX_STEPS = 20

/** Worlds of the policy's demonstrations, in turn: the desktop takes longer to learn. */
export const TURNS: readonly SharedWorld[] = ['household', 'desktop', 'desktop']

export const POLICY = {
  shape: { ...SMALL, num_key_value_heads: 4 } satisfies ModelShape,
  corpus: { household: household.POLICY.corpus, desktop: desktop.POLICY.corpus },
  plan: { steps: 3000, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 } satisfies TrainingPlan,
  kept: [2000],
}

export const REWARD = {
  play: { gamesOfEachPlayer: 500, maxSteps: MAX_STEPS } satisfies PlayRecipe,
  corpus: { household: household.REWARD.judging.corpus, desktop: desktop.REWARD.judging.corpus },
  /** Share of transcripts in the spelling of the built-in models, as in the fixed trajectories. */
  terse: 0.5,
  plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 2e-3, weightDecay: 0.01 } satisfies TrainingPlan,
}
