/**
 * The quality of written tests over many tasks, as the release counts it (llm_rl_reward.py:351-359):
 *
 *     UT     = tests that all correct programs pass / tests of tasks that have a correct program
 *     Detect = tests that moreover all wrong programs fail / tests of tasks that have correct and wrong programs
 *
 * At temperature 0 all programs of a task are the same, and Detect has hardly a task to count, so evaluations sample at the
 * policy's temperature. An unreadable test counts as wrong.
 */
import { tallyTests, type ProgramGroup } from './program-group.ts'

export interface TestRates {
  /** Null without tests to count. */
  ut: number | null
  utTests: number
  detect: number | null
  detectTests: number
}

export function testRates(groups: readonly ProgramGroup[]): TestRates {
  let [utTests, trueTests, detectTests, detecting] = [0, 0, 0, 0]
  for (const { correct, wrong, correctPassing, wrongPassing } of groups.flatMap(tallyTests)) {
    if (correct === 0) continue
    const isTrue = correctPassing === correct
    utTests++
    if (isTrue) trueTests++
    if (wrong === 0) continue
    detectTests++
    if (isTrue && wrongPassing === 0) detecting++
  }
  return {
    ut: utTests > 0 ? trueTests / utTests : null,
    utTests,
    detect: detectTests > 0 ? detecting / detectTests : null,
    detectTests,
  }
}
