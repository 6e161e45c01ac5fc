/** The votes on the steps of the recorded episode: what the reward model said, what is true, and where training pushes it. */
import type { Score } from '../../../method/ports.ts'
import type { TellingEpisode } from '../../../runs/telling-episode.ts'

interface JudgeRow {
  action: string
  trueLabel: 1 | -1 | null
  /** R of the step. */
  feedback: number
  votes: {
    score: Score
    reasoning: string
    /** Null where the truth is unknown. */
    isRight: boolean | null
    /** Advantage of the vote; null where it does not train. */
    advantage: number | null
  }[]
}

export function judgeRows({ group, settings, trajectory }: TellingEpisode): JudgeRow[] {
  const { feedback, reward } = group.derive(settings)
  const { episode, votes } = group.episodes[trajectory]!
  return episode.steps.map(({ command, trueLabel }, k) => ({
    action: command,
    trueLabel,
    feedback: feedback[trajectory]![k]!,
    votes: (votes?.[k] ?? []).map(({ score, reasoning }, j) => ({
      score,
      reasoning,
      isRight: trueLabel === null ? null : score === trueLabel,
      advantage: reward[trajectory]![k]![j] ?? null,
    })),
  }))
}
