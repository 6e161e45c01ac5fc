/**
 * The quality of written tests over many tasks, as the release counts it (llm_rl_reward.py:351-359):
 *
 *     UT     = tests that all correct programs pass / tests of tasks that have a correct program
 *     Detect = tests that moreover all wrong programs fail / tests of tasks that have correct and wrong programs
 *
 * An unreadable test counts as wrong.
 */
import type { TestCounts } from '../events.ts'
import { tallyTests, type ProgramGroup } from './program-group.ts'

export interface TestRates {
  /** Null without tests to count. */
  ut: number | null
  utTests: number
  detect: number | null
  detectTests: number
}

export function testCounts(groups: readonly ProgramGroup[]): TestCounts {
  const counts: TestCounts = { utTests: 0, utTrue: 0, detectTests: 0, detecting: 0 }
  for (const { correct, wrong, correctPassing, wrongPassing } of groups.flatMap(tallyTests)) {
    if (correct === 0) continue
    const isTrue = correctPassing === correct
    counts.utTests++
    if (isTrue) counts.utTrue++
    if (wrong === 0) continue
    counts.detectTests++
    if (isTrue && wrongPassing === 0) counts.detecting++
  }
  return counts
}

export function testRates(groups: readonly ProgramGroup[]): TestRates {
  const { utTests, utTrue, detectTests, detecting } = testCounts(groups)
  return {
    ut: utTests > 0 ? utTrue / utTests : null,
    utTests,
    detect: detectTests > 0 ? detecting / detectTests : null,
    detectTests,
  }
}
