/**
 * Consistency feedback of a written test (RLAnything, R_S = R · S, over the programs that the test scored):
 *
 *     R_S_j = 1/n · Σ_i R_i S_ij          R_i = O_i + λ · mean_j S_ij
 *
 * A judge's evaluation scores one step, and R · S is its feedback. A test scores all n programs of the task at once, so its
 * feedback is the mean over its n scores: high if it passes programs that are correct and pass the other tests, and fails
 * programs that are wrong and fail the others.
 *
 * An unreadable test gets -(1 + λ), the lowest value of R · S (feedback.ts). R is always the integrated feedback, whichever
 * `signal` trains the policy.
 */
import { integratedFeedback, type FeedbackSettings } from '../feedback.ts'
import { scoresOf, testCount, type ProgramGroup } from './program-group.ts'

/** R_S of every test, in [-(1 + λ), 1 + λ]. */
export function testConsistency(group: ProgramGroup, settings: FeedbackSettings): number[] {
  const scores = group.passed.map(scoresOf)
  const integrated = group.programs.map(({ outcome }, program) =>
    integratedFeedback(outcome, scores[program]!, { ...settings, signal: 'integrated' }),
  )
  return Array.from({ length: testCount(group) }, (_, test) => {
    if (scores.every((ofProgram) => ofProgram[test] === 0)) return -(1 + settings.lambda)
    const sum = integrated.reduce((total, value, program) => total + value * scores[program]![test]!, 0)
    // `+ 0` turns -0 into 0, which JSON cannot tell apart.
    return sum / integrated.length + 0
  })
}
