/**
 * Advantages of a task's group whose reward model wrote tests. Both are standardised over the task:
 *
 *                            profile paper                          profile reference (llm_rl_reward.py:206-225, :285-318)
 *     of a program i         R_i = O_i + λ mean_j S_ij, by `signal`  share of the ground-truth tests that it passes
 *     of a generated test j  1/n Σ_i R_i S_ij                        counted quality (test-quality.ts)
 *     an advantage of 0      does not train                          trains, as released
 *
 * The released code has neither λ nor `signal` here, so profile `reference` ignores both: its policy never learns from written
 * tests. `rewardGrouping` has no effect in either profile, because the tests of a task are one set.
 *
 * The accuracy filters are settings. The release filters both roles by 0.2 ≤ acc ≤ 0.8 (:222-225), as the presets do.
 */
import {
  accuracyOf,
  nonZero,
  policyAdvantages,
  standardise,
  trainsAt,
  type AdvantageSettings,
  type GroupAdvantages,
} from '../advantages.ts'
import { integratedFeedback } from '../feedback.ts'
import { scoresOf, testCount, type ProgramGroup } from './program-group.ts'
import { testConsistency } from './test-consistency.ts'
import { countedQuality } from './test-quality.ts'

/** An episode is one program, so `feedback` and `policy` are [program][0], and `reward` is empty. */
export function programAdvantages(group: ProgramGroup, settings: AdvantageSettings): GroupAdvantages {
  const isReference = settings.profile === 'reference'
  const accuracy = accuracyOf(group.programs.map(({ outcome }) => outcome))
  const feedback = group.programs.map(({ outcome, passRatio }, program) => [
    isReference ? passRatio : integratedFeedback(outcome, scoresOf(group.passed[program]!), settings),
  ])
  const { trainsPolicy, trainsReward } = trainsAt(accuracy, settings)
  const keep = isReference ? (advantage: number) => advantage : nonZero
  const quality = testCount(group) === 0 ? null : isReference ? countedQuality(group) : testConsistency(group, settings)
  return {
    accuracy,
    feedback,
    ...policyAdvantages(feedback, trainsPolicy, settings, keep),
    reward: group.programs.map(() => [[]]),
    tests: quality && {
      feedback: quality,
      reward: standardise(quality, settings.normAdvByStd).map((value) => (trainsReward ? keep(value) : null)),
    },
  }
}
