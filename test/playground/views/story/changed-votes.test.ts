import { describe, expect, it } from 'vitest'
import { NO_CHANGES, toggled, voteKey, withChanges } from '../../../../src/playground/views/story/changed-votes.ts'
import { judgeRows } from '../../../../src/playground/views/story/judge-rows.ts'
import { voteTally } from '../../../../src/playground/views/story/questions.ts'
import { readRunLog } from '../../../../src/runs/file-store.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { tellingEpisode } from '../../../../src/runs/telling-episode.ts'

const episode = tellingEpisode(foldRun(await readRunLog('public/runs/household-episode.jsonl.gz')))!
const recorded = judgeRows(episode)
const tally = voteTally(episode.group, episode.settings)
/** A step all of whose votes are +1. */
const step = recorded.findIndex(({ votes }) => votes.every(({ score }) => score === 1))
const { outcome } = episode.group.episodes[episode.trajectory]!.episode

describe('turned votes', () => {
  it('are as recorded without changes', () => {
    const same = withChanges(episode, NO_CHANGES)
    expect(judgeRows(same)).toEqual(recorded)
    expect(voteTally(same.group, same.settings)).toEqual(tally)
  })

  it('change R of their step by λ times the mean vote, and the count of right votes', () => {
    const one = withChanges(episode, { ...NO_CHANGES, votes: new Set([voteKey(step, 0)]) })
    const { votes, feedback } = judgeRows(one)[step]!
    const m = votes.length
    expect(votes.map(({ score }) => score)).toEqual([-1, ...Array.from({ length: m - 1 }, () => 1)])
    expect(feedback).toBeCloseTo(outcome + (episode.settings.lambda * (m - 2)) / m, 12)
    expect(feedback).not.toBeCloseTo(recorded[step]!.feedback, 3)
    // Only this step changes its R.
    judgeRows(one).forEach((row, k) => {
      if (k !== step) expect(row.feedback).toBe(recorded[k]!.feedback)
    })
    const turned = voteTally(one.group, one.settings)
    expect(turned.right + turned.wrong).toBe(tally.right + tally.wrong)
    expect(Math.abs(turned.right - tally.right)).toBe(1)
  })

  it('train the same whatever the true label is', () => {
    const other = withChanges(episode, { ...NO_CHANGES, labels: new Set([step]) })
    expect(other.group.derive(other.settings)).toEqual(episode.group.derive(episode.settings))
    expect(judgeRows(other)[step]!.trueLabel).toBe(-recorded[step]!.trueLabel!)
    expect(voteTally(other.group, other.settings).wrong).not.toBe(tally.wrong)
  })

  it('turn back when they are turned twice', () => {
    const once = toggled(NO_CHANGES.votes, voteKey(step, 0))
    expect([...once]).toEqual([voteKey(step, 0)])
    expect(toggled(once, voteKey(step, 0)).size).toBe(0)
    expect(NO_CHANGES.votes.size).toBe(0)
  })
})
