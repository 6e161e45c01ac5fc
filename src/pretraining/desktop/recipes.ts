/**
 * How the three shipped models of the desktop are trained (decision 12). They lack knowledge, not steadiness: the policy knows a task
 * or two of each application and has hardly seen the others; the reward model has seen them all, and the play of policies that cannot
 * do them. As in the paper, tasks of the browser and of two applications are new to a run, not to its models.
 */
import { TEMPLATES } from '../../worlds/desktop/generator/templates.ts'
import { SMALL, type ModelShape } from '../model-shape.ts'
import type { PlayRecipe } from '../played-games.ts'
import type { TrainingPlan } from '../supervised-training.ts'
import type { JudgementRecipe, PolicyRecipe } from './corpus.ts'

export const MAX_STEPS = 20

const COMMON = [
  'delete-file',
  'rename-file',
  'style-line',
  'show-sum',
  'star-mail',
  'write-mail',
  'switch-setting',
  'rename-file-impossible',
]

const NAMES = TEMPLATES.map(({ name }) => name)

const ACTING: { shape: ModelShape; corpus: PolicyRecipe; plan: TrainingPlan } = {
  shape: SMALL,
  corpus: {
    common: COMMON,
    rare: NAMES.filter((name) => !COMMON.includes(name)),
    rareShare: 0.03,
    slip: 0.05,
    maxSteps: MAX_STEPS,
    hints: 0.2,
    fronts: 0.2,
  },
  plan: { steps: 3200, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}

/** The policy is kept at two earlier strengths, whose play the reward model learns to judge. */
export const POLICY = { ...ACTING, kept: [1600, 2400] as const }

/** First it learns to read the world, as a policy that has seen many more of the rare tasks; then to judge. */
export const REWARD = {
  shape: SMALL,
  reading: {
    ...ACTING,
    corpus: { ...ACTING.corpus, rareShare: 0.3 },
    plan: { ...ACTING.plan, steps: 2400 },
    kept: [1600] as const,
  },
  judging: {
    play: { gamesOfEachPlayer: 1000, maxSteps: MAX_STEPS } satisfies PlayRecipe,
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
