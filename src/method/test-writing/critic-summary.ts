/**
 * What tests showed most often, for the author who rewrites the problem. For an easier problem, counts what wrong programs
 * failed; for a harder one, what correct programs passed; for both, written tests that lie.
 *
 *     wrong answer on test 2 x6; time limit on written [9,1] x4; written [1] -> 5 lies x2
 *     passed all tests x7; passed written [9,1] x7
 *
 * The number counts programs, or how often a lie was written. Ground-truth tests are named by number, written ones by input.
 * Verdicts come from the sandbox, so they are counted for tests of every writer, also of a chat model. The writer's reasoning before a
 * test is ignored, because it has seen no program.
 *
 * A written test lies if the reference solution fails it or, without a reference solution, if a correct program does. The
 * release passes on the pass rates of all tests (llm_env_rollout.py:665-691); verdicts and lies are our addition.
 */
import { compactReason, countedReasons } from '../critic-reasons.ts'
import type { EpisodeFinished } from '../events.ts'
import type { Direction } from '../ports.ts'
import type { TaskTests } from './write-tests.ts'

/** Longer inputs and outputs of a written test are cut here. */
const LONGEST_VALUE = 32

export function programCriticSummary(
  episodes: readonly EpisodeFinished[],
  tests: TaskTests | null,
  direction: Direction,
): string {
  const side = direction === 'easier' ? -1 : 1
  const counts = new Map<string, number>()
  const count = (reason: string) => counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const written = tests?.written.tests ?? []
  const correct = episodes.flatMap(({ outcome }, program) => (outcome === 1 ? [program] : []))
  const lies = written.map(({ isTrue }, index) =>
    isTrue === null ? correct.some((program) => tests!.passed[program]![index] === false) : !isTrue,
  )

  episodes.forEach(({ outcome, steps }, program) => {
    if (outcome !== side) return
    // A set, because a test may have been written twice and each program counts once.
    const reasons = new Set<string>()
    if (side === 1) reasons.add('passed all tests')
    else {
      steps[0]?.tests?.forEach(({ passed, isVoid, verdict }, index) => {
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
  return countedReasons(counts)
}

function value(text: string): string {
  return compactReason(text, LONGEST_VALUE)
}
