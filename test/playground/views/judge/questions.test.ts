import { describe, expect, it } from 'vitest'
import { accuracyOf, QUESTIONS, stepsToJudge, verdictOf } from '../../../../src/playground/views/judge/questions.ts'
import { readRunLog } from '../../../../src/runs/file-store.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { tellingEpisode } from '../../../../src/runs/telling-episode.ts'

const { group } = tellingEpisode(foldRun(await readRunLog('public/runs/household-episode.jsonl.gz')))!

describe('the steps that a person judges', () => {
  it('are half useful and half wasted, with what came before', () => {
    const steps = stepsToJudge(group)
    expect(steps).toHaveLength(QUESTIONS)
    expect(steps.filter(({ truth }) => truth === 1)).toHaveLength(QUESTIONS / 2)
    for (const { trajectory, step, before, command, votes } of steps) {
      const { steps: played } = group.episodes[trajectory]!.episode
      expect(before).toHaveLength(step)
      expect(command).toBe(played[step]!.command)
      expect(votes).toEqual(group.scores[trajectory]![step])
    }
  })

  it('are chosen whatever the reward model said of them', () => {
    const turned = {
      ...group,
      scores: group.scores.map((row) => row.map((votes) => votes.map((vote) => -vote as 1 | -1 | 0))),
    }
    const places = (of: typeof group) => stepsToJudge(of).map(({ trajectory, step }) => [trajectory, step])
    expect(places(turned)).toEqual(places(group))
  })

  it('are fewer where the group has fewer of one kind, and none without labels', () => {
    const relabel = (label: (index: number) => 1 | -1 | null) => ({
      ...group,
      episodes: group.episodes.map((each, i) => ({
        ...each,
        episode: { ...each.episode, steps: each.episode.steps.map((step) => ({ ...step, trueLabel: label(i) })) },
      })),
    })
    expect(stepsToJudge(relabel(() => null))).toEqual([])
    expect(stepsToJudge(relabel(() => 1))).toEqual([])
    expect(
      stepsToJudge(
        relabel((i) => (i === 0 ? -1 : 1)),
        100,
      ).length % 2,
    ).toBe(0)
  })

  it('are decided by the sign of the mean vote, and a tie is never right', () => {
    expect([verdictOf([1, -1, 1]), verdictOf([-1, 0]), verdictOf([1, -1])]).toEqual([1, -1, 0])
    expect(accuracyOf([])).toBeNull()
    expect(
      accuracyOf([
        { verdict: 0, truth: 1 },
        { verdict: -1, truth: -1 },
      ]),
    ).toBe(0.5)
  })
})
