/**
 * A worse judge out of the same model, for asking how good a judge must be (`voteFlips`):
 *
 *     S' = -S with probability ε, else S          E[S'] = (1 - 2ε) E[S]
 *
 * Flips happen where an answer is read, before feedback, metrics, critic, training and log: everything sees S', so the model
 * also learns from the feedback on S'. An unreadable vote stays unreadable, and a void result void. Ours; the paper has none.
 *
 * Whether a vote is flipped is a hash of the seed of the question (which depends on run and iteration) and of what was asked,
 * so a resumed run flips the same votes, and a fixed judge on fixed trajectories keeps its flips.
 */
import type { Evaluation } from './events.ts'
import type { Score, TestResult } from './ports.ts'
import { deriveSeed } from './random.ts'

export interface FlipOptions {
  /** ε; 0 by default. */
  voteFlips?: number
  seed: number
}

/** Whether the vote with these coordinates is flipped: episode, step, evaluation; or task, program, test. */
export function isFlipped({ voteFlips = 0, seed }: FlipOptions, ...coordinates: readonly (number | string)[]): boolean {
  return voteFlips > 0 && deriveSeed(seed, 'flip', ...coordinates) < voteFlips * 2 ** 32
}

export function flippedVote(evaluation: Evaluation): Evaluation {
  const { score } = evaluation
  return score === 0 ? evaluation : { ...evaluation, score: opposite(score), isFlipped: true }
}

/** The score that the reward model wrote: the one whose tokens learn. */
export function writtenScore({ score, isFlipped: isTurned }: Pick<Evaluation, 'score' | 'isFlipped'>): Score {
  return isTurned ? opposite(score) : score
}

/** The other readable score. */
function opposite(score: Score): Score {
  return score === 1 ? -1 : 1
}

/** The detail says what the program really did. */
export function flippedResult(result: TestResult): TestResult {
  if (result.isVoid) return result
  const { passed, verdict, detail } = result
  return {
    passed: !passed,
    verdict: passed ? 'wrong answer' : 'passed',
    detail: `flipped, in truth: ${verdict}${detail === '' ? '' : `, ${detail}`}`,
  }
}
