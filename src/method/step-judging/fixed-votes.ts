/** Counts the votes of a judge on fixed trajectories, by split and strength (judge-evaluation/measures.ts). */
import type { PhaseProgressed, VoteCounts } from '../events.ts'
import { STRENGTHS } from '../judge-evaluation/fixed-trajectory.ts'
import type { Replayed } from '../judge-evaluation/replay.ts'
import type { LanguageModelPort, StepJudgeFormat } from '../ports.ts'
import type { AskOptions } from '../reward-strategy.ts'
import { judge, type Judgement } from './judging.ts'
import { StepQuestions } from './step-questions.ts'
import { countVotes, noVoteCounts } from './vote-counts.ts'

type Cell = Required<VoteCounts> & { split: 'id' | 'ood'; strength: (typeof STRENGTHS)[number] }

/** The votes themselves are not yielded: they would be most of a log. */
export async function* measureVotes(
  reward: LanguageModelPort,
  format: StepJudgeFormat,
  replayed: readonly Replayed[],
  options: AskOptions,
): AsyncGenerator<PhaseProgressed, { votes: Cell[] }, void> {
  const judging = judge(
    new StepQuestions(reward, format, options),
    replayed.map(({ episode }) => episode),
    options.rewardVersion,
  )
  for (;;) {
    const next = await judging.next()
    if (next.done) return { votes: cellsOf(replayed, next.value) }
    if (next.value.type === 'progress') yield { ...next.value, phase: 'evaluate' }
  }
}

/** Without cells that have no trajectory. */
function cellsOf(replayed: readonly Replayed[], judgements: readonly Judgement[]): Cell[] {
  const cells = (['id', 'ood'] as const).flatMap((split) =>
    STRENGTHS.map((strength): Cell => ({ split, strength, ...noVoteCounts() })),
  )
  for (const [index, { trajectory, episode, refused }] of replayed.entries()) {
    const cell = cells.find(({ split, strength }) => split === trajectory.split && strength === trajectory.strength)!
    countVotes(cell, episode, judgements[index]!.votes, refused)
  }
  return cells.filter(({ trajectories }) => trajectories > 0)
}
