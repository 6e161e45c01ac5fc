/** A reward model that writes tests: write-tests.ts asks, evidence.ts holds the tests, test-metrics.ts counts. */
import { mean } from '../metrics.ts'
import type { LanguageModelPort, TestWriterFormat, UnitTestPort } from '../ports.ts'
import type { RewardStrategy } from '../reward-strategy.ts'
import { TestEvidence } from './evidence.ts'
import { measureTests } from './fixed-programs.ts'
import { testRates } from './test-metrics.ts'
import { TestQuestions } from './test-questions.ts'
import { writeTests } from './write-tests.ts'

export function testWriting(
  reward: LanguageModelPort,
  format: TestWriterFormat,
  unitTests: UnitTestPort,
): RewardStrategy<TestEvidence> {
  const inquire: RewardStrategy<TestEvidence>['inquire'] = (options) => {
    const questions = new TestQuestions(reward, format, options)
    return {
      onStart: (episodes) => questions.add(episodes),
      async *ask(groups) {
        const tests = yield* writeTests(questions, unitTests, format, groups, options)
        return groups.map(({ rollouts }, index) => new TestEvidence(rollouts, tests[index]!))
      },
      close: () => questions.close(),
    }
  }
  return {
    // A test scores all programs of its task.
    sharesEvaluations: true,

    /** The policy uses tests only in profile `paper`, and not if it learns from outcomes alone. */
    isRead: ({ profile, signal, rewrites }, trains) =>
      (profile === 'paper' && signal !== 'outcome') ||
      trains('reward') ||
      (trains('environment') && rewrites === 'author'),

    inquire,

    withoutAsking: ({ rollouts }) => new TestEvidence(rollouts, null),

    metrics: testMetrics,

    measure: (replayed, options) => measureTests({ reward, unitTests }, format, replayed, options),

    async *evaluate(groups, options) {
      const evidence = yield* inquire(options).ask(groups)
      return testRates(evidence.map(({ group }) => group))
    },
  }
}

/**
 * UT and Detect with the numbers of tests that they count, and beside them the shares of readable tests that the reference
 * solution passes, of unreadable tests, and of programs whose outcome the sign of their mean S predicts.
 */
function testMetrics(evidence: readonly TestEvidence[]): Record<string, number | null> {
  const asked = evidence.flatMap(({ tests }) => (tests ? [tests] : []))
  if (asked.length === 0) return {}
  const rates = testRates(evidence.map(({ group }) => group))
  const truths = asked.flatMap(({ written }) =>
    written.tests.flatMap(({ isTrue }) => (isTrue === null ? [] : [isTrue ? 1 : 0])),
  )
  const unreadable = asked.flatMap(({ passed }) =>
    passed[0]!.map((_, test) => (passed.every((results) => results[test] === null) ? 1 : 0)),
  )
  const predictions = evidence
    .flatMap(({ trajectories }) => trajectories)
    .map(({ outcome, scores }) => {
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
