/**
 * Steps for a person to judge: as many useful as wasted ones where the recorded group has them, evenly spread over its rollouts.
 * Independent of the reward model's votes.
 */
import type { Score } from '../../../method/ports.ts'
import type { BatchGroup } from '../../../runs/batch.ts'
import { spread } from '../../kit/spread.ts'

export interface JudgedStep {
  trajectory: number
  /** Index in its rollout. */
  step: number
  task: string
  /** What came before, in order. */
  before: readonly { command: string; observation: string }[]
  command: string
  observation: string
  truth: 1 | -1
  /** Votes of the reward model. */
  votes: readonly Score[]
}

export const QUESTIONS = 8

/** At most `count` steps, in the order of rollouts and steps; fewer if the group has fewer with votes and a known truth. */
export function stepsToJudge({ episodes, instruction, scores }: BatchGroup, count = QUESTIONS): JudgedStep[] {
  const known = episodes.flatMap(({ episode: { steps } }, trajectory) =>
    steps.flatMap(({ command, observation, trueLabel }, step): JudgedStep[] => {
      const votes = scores[trajectory]![step]!
      if (trueLabel === null || votes.length === 0) return []
      const before = steps.slice(0, step).map((each) => ({ command: each.command, observation: each.observation }))
      return [{ trajectory, step, task: instruction, before, command, observation, truth: trueLabel, votes }]
    }),
  )
  const [useful, wasted] = [1, -1].map((label) => known.filter(({ truth }) => truth === label)) as [
    JudgedStep[],
    JudgedStep[],
  ]
  const half = Math.min(Math.floor(count / 2), useful.length, wasted.length)
  const chosen = new Set([...spread(useful, half), ...spread(wasted, half)])
  return known.filter((each) => chosen.has(each))
}

/** The sign of the mean vote; 0 for a tie. */
export function verdictOf(votes: readonly Score[]): Score {
  return Math.sign(votes.reduce<number>((sum, vote) => sum + vote, 0)) as Score
}

/** Share of right verdicts; null without any. */
export function accuracyOf(verdicts: readonly { verdict: Score; truth: 1 | -1 }[]): number | null {
  if (verdicts.length === 0) return null
  return verdicts.filter(({ verdict, truth }) => verdict === truth).length / verdicts.length
}
