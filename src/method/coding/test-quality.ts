/**
 * What a generated test is worth by counting programs, as released (llm_rl_reward.py:285-300):
 *
 *     r_j = + #{wrong programs that fail j}     if every correct program passes j
 *     r_j = - #{wrong programs that pass j}     otherwise
 *     r_j = ± 1                                 likewise, where no program is wrong
 *
 * Correct means that a program passes all ground-truth tests. Without a correct program nothing tells a true test from a
 * lie, and there is no r. A test that cannot be read is failed by all: r = 0 among wrong programs, which is more than a
 * plausible lie gets.
 */
import { tallyTests, type ProgramGroup } from './program-group.ts'

/** r of every test; null where no program is correct. */
export function countedQuality(group: ProgramGroup): number[] | null {
  if (!group.programs.some(({ outcome }) => outcome === 1)) return null
  return tallyTests(group).map(({ correct, correctPassing, wrong, wrongPassing }) => {
    // It is void for every correct program, so that nobody can say.
    if (correct === 0) return 0
    const isTrue = correctPassing === correct
    if (wrong === 0) return isTrue ? 1 : -1
    // `0 -` instead of a sign, so that there is no -0, which JSON does not know.
    return isTrue ? wrong - wrongPassing : 0 - wrongPassing
  })
}
