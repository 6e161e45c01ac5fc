import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../../src/method/events.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { activeFlows } from '../../../../src/playground/views/loop/loop-flows.ts'
import { packetsOf } from '../../../../src/playground/views/loop/loop-packets.ts'
import { fakeCodingRun } from '../../fake-coding-run.ts'
import { fakeRun } from '../../fake-run.ts'

const events = [...fakeRun({ iterations: 2 })].filter(isLogged)
const upTo = (stop: (event: LoggedEvent) => boolean) => foldRun(events.slice(0, events.findIndex(stop) + 1))
const textOf = (packets: ReturnType<typeof packetsOf>, id: string) => packets.find((packet) => packet.id === id)?.text

describe('what moves along the arrows', () => {
  it('is the outcome of the last episode, not a mean', () => {
    for (const wanted of [1, -1] as const) {
      const view = upTo((event) => event.type === 'episode' && event.outcome === wanted)
      expect(textOf(packetsOf(view, 'rollout'), 'outcome')).toBe(wanted === 1 ? '+1' : '−1')
    }
  })

  it('is only on the arrows of the phase, and nothing while the loop is idle', () => {
    const view = foldRun(events)
    for (const phase of ['rollout', 'judge', 'update-policy', 'update-reward'] as const)
      expect(packetsOf(view, phase).map(({ id }) => id)).toEqual(activeFlows(phase))
    expect(packetsOf(view, null)).toEqual([])
    expect(packetsOf(foldRun([]), 'rollout')).toEqual([])
  })

  it('has no vote before the first', () => {
    const view = upTo((event) => event.type === 'episode')
    expect(textOf(packetsOf(view, 'judge'), 'score')).toBeUndefined()
    const judged = upTo((event) => event.type === 'judged')
    expect(textOf(packetsOf(judged, 'judge'), 'score')).toMatch(/^([+−]?\d\.\d)$/u)
  })

  it('is passed tests in the coding world', () => {
    const log = [...fakeCodingRun()]
    const view = foldRun(log.slice(0, log.findIndex(({ type }) => type === 'tests-written') + 1))
    expect(textOf(packetsOf(view, 'judge'), 'score')).toMatch(/^\d+\/\d+$/u)
  })
})
