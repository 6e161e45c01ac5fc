import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { LoopState } from '../../src/method/loop-state.ts'
import { stateEvent } from '../../src/runs/state-event.ts'
import { logOf, request, smallSettings, world } from '../method/corridor.ts'
import { codingSettings, codingWorld } from '../method/test-writing/adding.ts'

const household = () => logOf(world(), request(smallSettings({ evaluateEvery: 2 }), { iterations: 6 }))
const coding = () => logOf(codingWorld(), request(codingSettings(), { iterations: 4 }))

describe.each([
  ['household', household],
  ['coding', coding],
])('what the loop remembers of a log (%s)', (_, logged) => {
  it('gives the same state, at any place of the log', async () => {
    const log = await logged()
    const kept = log.map(stateEvent)
    for (let length = 0; length <= log.length; length += 7)
      expect(LoopState.fromHistory(kept.slice(0, length))).toEqual(LoopState.fromHistory(log.slice(0, length)))
    expect(kept.map(({ seq, iteration, type }) => ({ seq, iteration, type }))).toEqual(
      log.map(({ seq, iteration, type }) => ({ seq, iteration, type })),
    )
  })

  it('holds nothing of an event that the state does not read', async () => {
    const log = await logged()
    const kept = log.map(stateEvent)
    const texts = (events: readonly LoggedEvent[]) =>
      events.flatMap((event) => (event.type === 'episode' ? [event.opening, ...event.steps] : []))
    expect(texts(log).filter(Boolean).length).toBeGreaterThan(0)
    expect(texts(kept).filter(Boolean)).toEqual([])
    // Arrays of their own would be most of what is left.
    const lists = new Set<unknown>()
    for (const event of kept) {
      if (event.type === 'judged') lists.add(event.votes)
      if (event.type === 'episode') lists.add(event.steps)
    }
    expect(lists.size).toBe(1)
    const measures = kept.flatMap((event) => (event.type === 'iteration-finished' ? Object.keys(event.metrics) : []))
    expect([...new Set(measures)].sort()).toEqual(['rollout/total', 'training/env_steps', 'training/num_tokens'])
  })
})
