import { describe, expect, it } from 'vitest'
import { CRITIC_SUMMARY_MAX_LENGTH } from '../../../src/method/critic-reasons.ts'
import type { EpisodeFinished, GeneratedTest } from '../../../src/method/events.ts'
import type { Direction, TestResult } from '../../../src/method/ports.ts'
import { programCriticSummary } from '../../../src/method/test-writing/critic-summary.ts'
import type { TaskTests } from '../../../src/method/test-writing/write-tests.ts'

const RESULTS: Record<string, TestResult | null> = {
  '+': { passed: true, verdict: 'passed', detail: '' },
  '-': { passed: false, verdict: 'wrong answer', detail: 'expected 3, got 4' },
  t: { passed: false, verdict: 'time limit', detail: '' },
  '?': null,
}
const results = (marks: string) => [...marks].map((mark) => RESULTS[mark]!)

interface Group {
  episodes: EpisodeFinished[]
  tests: TaskTests | null
}

/** Programs as [ground-truth marks, marks on the written tests]. */
function group(programs: [string, string][], tests: GeneratedTest[]): Group {
  const written = programs.map(([, marks]) => results(marks))
  return {
    episodes: programs.map(([truth], rollout) => ({
      type: 'episode',
      episodeId: `${rollout}`,
      taskId: 'q',
      split: 'train',
      rollout,
      policyVersion: 0,
      instruction: '',
      opening: '',
      outcome: /^\+*$/u.test(truth) ? 1 : -1,
      steps: [{ response: '', thought: '', command: '', observation: '', tokens: [], logProbs: [], entropies: [], trueLabel: 1, distance: 0, tests: results(truth) }], // prettier-ignore
    })),
    tests: {
      written: { type: 'tests-written', taskId: 'q', split: 'train', rewardVersion: 0, tests, episodeIds: programs.map((_, index) => `${index}`), results: written }, // prettier-ignore
      passed: written.map((row) => row.map((result) => result && result.passed)),
      samples: [],
      entropySum: 0,
      tokenCount: 0,
    },
  }
}
const summaryOf = ({ episodes, tests }: Group, direction: Direction) => programCriticSummary(episodes, tests, direction)
const test = (input: string, output: string, isTrue: boolean | null): GeneratedTest => ({
  reasoning: '',
  test: { input, output },
  isTrue,
})
const unreadable: GeneratedTest = { reasoning: 'so be it', test: null, isTrue: null }

describe("the critic's summary of tests", () => {
  const tests = [test('[9,1]', '10', true), test('[1]', '5', false), unreadable]
  const mixed = group(
    [
      ['++', '+-?'],
      ['++', '+-?'],
      ['+-', 't-?'],
      ['--', '-+?'],
    ],
    tests,
  )
  it('counts verdicts of wrong programs for an easier problem, and names false tests', () => {
    expect(summaryOf(mixed, 'easier')).toBe(
      'wrong answer on test 2 x2; time limit on written [9,1] x1; written [1] -> 5 lies x1; ' +
        'wrong answer on test 1 x1; wrong answer on written [9,1] x1',
    )
  })

  it('counts what correct programs passed for a harder problem', () => {
    expect(summaryOf(mixed, 'harder')).toBe('passed all tests x2; passed written [9,1] x2; written [1] -> 5 lies x1')
  })

  it('counts a program once if a test was written twice, and a false test as often as it was written', () => {
    const twice = group([['-', '--?']], [tests[0]!, tests[0]!, unreadable])
    expect(summaryOf(twice, 'easier')).toBe('wrong answer on test 1 x1; wrong answer on written [9,1] x1')
    const lies = group([['-', '++']], [tests[1]!, tests[1]!])
    expect(summaryOf(lies, 'harder')).toBe('written [1] -> 5 lies x2')
  })

  it('trusts correct programs without a reference solution, and names no false test without either', () => {
    const unknown = test('[1]', '5', null)
    expect(summaryOf(group([['+', '-']], [unknown]), 'easier')).toBe('written [1] -> 5 lies x1')
    expect(summaryOf(group([['-', '-']], [unknown]), 'easier')).not.toContain('lies')
    // The environment cannot read it, so it was not run.
    expect(summaryOf(group([['+', '?']], [test('one', '5', null)]), 'easier')).toBe('')
  })

  it('uses only ground truth if no tests were written, and stays on one short line', () => {
    expect(summaryOf({ ...mixed, tests: null }, 'easier')).toBe('wrong answer on test 2 x2; wrong answer on test 1 x1')
    const long = Array.from({ length: 12 }, (_, index) => test(`${index}\n`.repeat(40), '1', true))
    const summary = summaryOf(group([['-', '-'.repeat(12)]], long), 'easier')
    expect(summary.length).toBeLessThanOrEqual(CRITIC_SUMMARY_MAX_LENGTH)
    expect(summary).toMatch(/^wrong answer on test 1 x1; wrong answer on written 0 0 .*… x1/u)
    expect(summary).not.toContain('\n')
  })
})
