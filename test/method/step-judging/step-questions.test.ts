import { describe, expect, it } from 'vitest'
import type { LanguageModelPort } from '../../../src/method/ports.ts'
import { logOf, request, smallSettings, world } from '../corridor.ts'

const settings = smallSettings({ evaluateEvery: 0 })

/** A judge that answers after `delay(call)` turns of the event loop. */
function slowed(reward: LanguageModelPort, delay: (call: number) => number): LanguageModelPort {
  let calls = 0
  return {
    encode: (texts) => reward.encode(texts),
    update: (examples, options, signal) => reward.update(examples, options, signal),
    saveCheckpoint: () => reward.saveCheckpoint(),
    loadCheckpoint: (bytes) => reward.loadCheckpoint(bytes),
    async generate(requests, options, signal) {
      for (let left = delay(calls++); left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
      return reward.generate(requests, options, signal)
    },
  }
}

describe('judging while rollouts are played', () => {
  it('asks about a turn before the last one has been sampled', async () => {
    const ports = world()
    const order: string[] = []
    const noted = (name: string, model: LanguageModelPort) =>
      slowed(model, () => {
        order.push(name)
        return 1
      })
    await logOf(
      { ...ports, policy: noted('policy', ports.policy), reward: noted('reward', ports.reward) },
      request(settings, { iterations: 1 }),
    )
    expect(order.indexOf('reward')).toBeLessThan(order.lastIndexOf('policy'))
    expect(order.filter((name) => name === 'reward').length).toBeLessThanOrEqual(settings.maxSteps)
  })

  it.each([
    ['slow', () => 40],
    ['slow at times', (call: number) => (call % 3 === 0 ? 60 : 0)],
  ])('gives the same log when the judge is %s', async (_, delay) => {
    const expected = await logOf(world(), request(settings))
    const ports = world()
    expect(await logOf({ ...ports, reward: slowed(ports.reward, delay) }, request(settings))).toEqual(expected)
  })

  it('asks nothing more once a run has stopped', async () => {
    const ports = world()
    const controller = new AbortController()
    let turns = 0
    const policy = slowed(ports.policy, () => {
      if (++turns === 3) controller.abort()
      return 0
    })
    const log = await logOf(
      { ...ports, policy, reward: slowed(ports.reward, () => 5) },
      request(settings, { signal: controller.signal }),
    )
    expect(log.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
    const asked = ports.reward.generateCalls
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(ports.reward.generateCalls).toBe(asked)
  })

  it('ends the run with the error of a judge', async () => {
    const ports = world()
    const reward = { ...slowed(ports.reward, () => 0), generate: () => Promise.reject(new Error('no judge')) }
    await expect(logOf({ ...ports, reward }, request(settings))).rejects.toThrow('no judge')
  })
})
