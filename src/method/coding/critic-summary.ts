/**
 * What tests showed most often, for the author who rewrites the problem, in the form of ../critic-summary.ts. For an easier
 * problem, what wrong programs failed; for a harder one, what correct programs passed; for both, written tests that lie.
 *
 *     wrong answer on test 2 x6; time limit on written [9,1] x4; written [1] -> 5 lies x2
 *     passed all tests x7; passed written [9,1] x7
 *
 * The number is that of programs, or of times that a lie was written. Ground-truth tests are called by their numbers,
 * written ones by their input. A written test lies where the reference solution does not pass it, or, where there is none,
 * a correct program does not. The release hands over the pass rates of all tests (llm_env_rollout.py:665-691); that the
 * verdict is said and lies are named is ours.
 */
import { compactReason, countedReasons } from '../critic-summary.ts'
import type { Direction } from '../ports.ts'
import type { TaskGroup } from '../task-group.ts'

/** A longer input or output of a written test is cut here. */
const LONGEST_VALUE = 32

export function codingCriticSummary({ rollouts, tests }: TaskGroup, direction: Direction, maxLength?: number): string {
  const side = direction === 'easier' ? -1 : 1
  const counts = new Map<string, number>()
  const count = (reason: string) => counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const written = tests?.written.tests ?? []
  const correct = rollouts.flatMap(({ episode }, program) => (episode.outcome === 1 ? [program] : []))
  const lies = written.map(({ isTrue }, index) =>
    isTrue === null ? correct.some((program) => tests!.passed[program]![index] === false) : !isTrue,
  )

  rollouts.forEach(({ episode }, program) => {
    if (episode.outcome !== side) return
    // A set, because programs are counted, and a test may have been written twice.
    const reasons = new Set<string>()
    if (side === 1) reasons.add('passed all tests')
    else {
      episode.steps[0]?.tests?.forEach(({ passed, isVoid, verdict }, index) => {
        if (!passed && !isVoid) reasons.add(`${verdict} on test ${index + 1}`)
      })
    }
    written.forEach(({ test }, index) => {
      const result = tests!.written.results[program]![index]
      if (!test || !result || result.isVoid || lies[index] || result.passed !== (side === 1)) return
      reasons.add(`${result.verdict} ${side === 1 ? '' : 'on '}written ${value(test.input)}`)
    })
    for (const reason of reasons) count(reason)
  })
  written.forEach(({ test }, index) => {
    if (test && lies[index]) count(`written ${value(test.input)} -> ${value(test.output)} lies`)
  })
  return countedReasons(counts, maxLength)
}

function value(text: string): string {
  return compactReason(text, LONGEST_VALUE)
}
