/**
 * How the three shipped models of the desktop are trained. They are weak because they have learned little (decision 12 has the
 * household's way): seven in ten of the tasks that the policy has seen are of eight easy templates, and of each of the other 25 it has
 * seen a few hundred, enough to win now and then. A policy that had seen a tenth of these never won them, so nothing could reinforce it.
 * As in the paper, tasks of the browser and of two applications are new to a run, not to its models.
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
    rareShare: 0.3,
    slip: 0.05,
    maxSteps: MAX_STEPS,
    hints: 0.2,
    fronts: 0.2,
  },
  plan: { steps: 2400, episodesPerStep: 8, peakLearningRate: 3e-3, weightDecay: 0.01 },
}

/** The policy is kept at an earlier strength, for weaker play. */
export const POLICY = { ...ACTING, kept: [1600] as const }

/** First it learns to read the world, exactly as the policy does; then to judge play of its own at two strengths. */
export const REWARD = {
  shape: SMALL,
  reading: POLICY,
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
