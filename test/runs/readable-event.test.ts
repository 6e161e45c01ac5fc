import { describe, expect, it } from 'vitest'
import type { EpisodeStep, LoggedEvent } from '../../src/method/events.ts'
import { readableEvent } from '../../src/runs/readable-event.ts'

const step: EpisodeStep = {
  ...{ response: 'go', thought: '', command: 'go', observation: 'gone', trueLabel: 1, distance: 2 },
  ...{ tokens: [1, 2], logProbs: [-1, -2], entropies: [0.5, 0.25] },
}
const episode = (split: 'train' | 'id'): LoggedEvent => ({
  ...{ type: 'episode', episodeId: 'e', taskId: 't', split, rollout: 0, policyVersion: 3, instruction: 'Go.' },
  ...{ opening: 'Here.', steps: [step], outcome: 1, seq: 9, iteration: 4 },
})

describe('a readable event', () => {
  it('contains the texts of a training episode but not its tokens', () => {
    const steps = [{ ...step, tokens: [], logProbs: [], entropies: [] }]
    expect(readableEvent(episode('train'))).toEqual({ ...episode('train'), steps })
  })

  it('contains the outcome of a held-out episode but not its texts', () => {
    expect(readableEvent(episode('id'))).toEqual({ ...episode('id'), opening: '', steps: [] })
  })
})
