/** A reward model that writes tests, as in the coding world: ../test-writing.ts asks, the files beside this one count. */
import { mean } from '../metrics.ts'
import type { LanguageModelPort, TestWriterFormat, UnitTestPort } from '../ports.ts'
import type { RewardStrategy } from '../reward-strategy.ts'
import { scoredTrajectories, type TaskGroup } from '../task-group.ts'
import { writeTests } from '../test-writing.ts'
import { codingAdvantages } from './advantages.ts'
import { codingCriticSummary } from './critic-summary.ts'
import { programGroupOf } from './program-group.ts'
import { testRates } from './test-metrics.ts'

export function testWriting(
  reward: LanguageModelPort,
  format: TestWriterFormat,
  unitTests: UnitTestPort,
): RewardStrategy {
  const write: RewardStrategy['ask'] = async function* (groups, options) {
    const tests = yield* writeTests({ reward, unitTests }, format, groups, options)
    groups.forEach((group, index) => {
      group.tests = tests[index]!
    })
  }
  return {
    // A test scores all programs of its task.
    sharesEvaluations: true,

    /** The policy reads them only in profile `paper`, and only where it does not learn from outcomes alone. */
    isRead: ({ profile, signal }, trains) =>
      (profile === 'paper' && signal !== 'outcome') || trains('reward') || trains('environment'),

    ask: write,

    advantages: (group, settings) => codingAdvantages(programGroupOf(group), settings),

    criticSummary: (group, direction) => codingCriticSummary(group, direction),

    metrics: testMetrics,

    async *evaluate(groups, options) {
      yield* write(groups, options)
      return testRates(groups.map(programGroupOf))
    },
  }
}

/**
 * UT and Detect with what they are counted over, and beside them: the share of readable tests that the reference solution
 * passes, of tests that cannot be read, and of programs whose outcome the sign of their mean S predicts.
 */
function testMetrics(groups: readonly TaskGroup[]): Record<string, number | null> {
  const asked = groups.flatMap(({ tests }) => (tests ? [tests] : []))
  if (asked.length === 0) return {}
  const rates = testRates(groups.map(programGroupOf))
  const truths = asked.flatMap(({ written }) =>
    written.tests.flatMap(({ isTrue }) => (isTrue === null ? [] : [isTrue ? 1 : 0])),
  )
  const unreadable = asked.flatMap(({ passed }) =>
    passed[0]!.map((_, test) => (passed.every((results) => results[test] === null) ? 1 : 0)),
  )
  const predictions = groups.flatMap(scoredTrajectories).map(({ outcome, scores }) => {
    const sum = scores.flat().reduce<number>((total, score) => total + score, 0)
    return Math.sign(sum) === outcome ? 1 : 0
  })
  return {
    'reward/ut': rates.ut,
    'reward/ut_tests': rates.utTests,
    'reward/detect': rates.detect,
    'reward/detect_tests': rates.detectTests,
    'reward/test_truth': mean(truths),
    'reward/outcome_acc': mean(predictions),
    'reward/parse_fail_rate': mean(unreadable),
  }
}
