/**
 * The quality of a written test, by counting programs as released (llm_rl_reward.py:285-300):
 *
 *     r_j = + #{wrong programs that fail j}     if every correct program passes j
 *     r_j = - #{wrong programs that pass j}     otherwise
 *     r_j = ± 1                                 likewise, if no program is wrong
 *
 * A correct program passes all ground-truth tests. Without one, true tests cannot be distinguished from false ones, and there is no r. Every
 * program fails an unreadable test: r = 0 among wrong programs, which is more than a plausible lie gets.
 */
import { tallyTests, type ProgramGroup } from './program-group.ts'

/** r of every test; null without a correct program. */
export function countedQuality(group: ProgramGroup): number[] | null {
  if (!group.programs.some(({ outcome }) => outcome === 1)) return null
  return tallyTests(group).map(({ correct, correctPassing, wrong, wrongPassing }) => {
    // Void for every correct program, so unknown.
    if (correct === 0) return 0
    const isTrue = correctPassing === correct
    if (wrong === 0) return isTrue ? 1 : -1
    // `0 -` instead of a sign avoids -0, which JSON cannot represent.
    return isTrue ? wrong - wrongPassing : 0 - wrongPassing
  })
}
