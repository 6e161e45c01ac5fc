import { describe, expect, it } from 'vitest'
import { episodeExcerpt } from '../../src/runs/episode-excerpt.ts'
import { foldRun } from '../../src/runs/fold.ts'
import { readRunLog } from '../../src/runs/file-store.ts'
import { tellingRewrite } from '../../src/runs/telling-rewrite.ts'

const events = await readRunLog('public/runs/household.jsonl.gz')

describe('the most telling rewrite of a run', () => {
  it('was accepted, and moves an extreme accuracy to the middle', () => {
    const view = foldRun(events)
    const { proposal, resolution } = tellingRewrite(view)!
    const move = (before: number, after: number) => Math.abs(before - 0.5) - Math.abs(after - 0.5)
    const accepted = [...view.rewrites.values()].filter(({ resolution }) => resolution?.accepted)
    const others = accepted.map((each) => move(each.proposal.accuracy, each.resolution!.accuracyAfter))
    expect(resolution.accepted).toBe(true)
    expect(move(proposal.accuracy, resolution.accuracyAfter)).toBe(Math.max(...others))
  })

  it('is in the excerpt, with the task that it changed', () => {
    const whole = tellingRewrite(foldRun(events))!
    const excerpt = foldRun(episodeExcerpt(events)!)
    expect(tellingRewrite(excerpt)).toMatchObject({
      proposal: { proposalId: whole.proposal.proposalId },
      resolution: { accuracyAfter: whole.resolution.accuracyAfter },
    })
    expect(excerpt.tasks.get(whole.proposal.taskId)!.task.instruction).toBe(
      foldRun(events).tasks.get(whole.proposal.taskId)!.task.instruction,
    )
  })

  it('is missing where none was accepted', () => {
    expect(tellingRewrite(foldRun(events.filter(({ type }) => type !== 'rewrite-resolved')))).toBeNull()
  })
})
