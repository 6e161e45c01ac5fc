/**
 * How the three shipped models of the desktop are trained. The policy is weak because it has learned little (decision 12 has the
 * household's way): it has seen tasks of all templates, but seldom the other words that buttons have in most of a run's tasks.
 * Outcomes move such a policy; one that had seen a few templates much more often than the others did not learn (docs/desktop.md).
 * As in the paper, tasks of the browser and of two applications are new to a run, not to its models.
 */
import { TEMPLATES } from '../../worlds/desktop/generator/templates.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { PlayRecipe } from '../played-games.ts'
import type { Acting } from '../step-training.ts'
import type { TrainingPlan } from '../supervised-training.ts'
import type { JudgementRecipe, PolicyRecipe } from './corpus.ts'

export const MAX_STEPS = 20

const NAMES = TEMPLATES.map(({ name }) => name)

/** The templates that the reward model has read most. */
const EASY = [
  'delete-file',
  'rename-file',
  'style-line',
  'show-sum',
  'star-mail',
  'write-mail',
  'switch-setting',
  'rename-file-impossible',
]

const PLAY = { slip: 0.05, maxSteps: MAX_STEPS, hints: 0.2, fronts: 0.2 }

export const POLICY = {
  shape: { ...SMALL, num_key_value_heads: 4 } satisfies ModelShape,
  corpus: { ...PLAY, templates: NAMES, familiarWords: 0.95, imitatesSlips: false },
  plan: { steps: 3200, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
  kept: [],
} satisfies Acting<PolicyRecipe> & { shape: ModelShape }

/** What the reward model learns first: to play, on an easier mixture of tasks than the policy's. */
const READING: Acting<PolicyRecipe> = {
  corpus: {
    ...PLAY,
    templates: EASY,
    rare: { templates: NAMES.filter((name) => !EASY.includes(name)), share: 0.3 },
    imitatesSlips: true,
  },
  plan: { steps: 2400, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
  kept: [1600],
}

/** First it learns to read the world by playing in it; then to judge play of its own, most of it at the lower of two strengths. */
export const REWARD = {
  shape: SMALL,
  reading: READING,
  judging: {
    play: { gamesOfEachPlayer: 2000, maxSteps: MAX_STEPS } satisfies PlayRecipe,
    corpus: {
      templates: NAMES,
      playedShare: 0.7,
      slips: [0, 0.5],
      maxSteps: MAX_STEPS,
      hints: 0.1,
      fronts: 0.1,
      judgedRefusals: 0.25,
    } satisfies JudgementRecipe,
    plan: { steps: 300, episodesPerStep: 8, peakLearningRate: 2e-3, weightDecay: 0.01 } satisfies TrainingPlan,
  },
}

/** Finding valid rewrites to demonstrate is slow, so each demonstration is used several times. */
export const AUTHOR: { shape: ModelShape; demonstrations: number; plan: TrainingPlan } = {
  shape: { ...SMALL, hidden_size: 64, intermediate_size: 192 },
  demonstrations: 2000,
  plan: { steps: 1500, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}
