import { expect, it } from 'vitest'
import { HandWorld } from '../../../../src/playground/worlds/own/hand-world.svelte.ts'
import type { OwnPlayer } from '../../../../src/playground/worlds/own/own-player.ts'
import type { OwnMoment } from '../../../../src/worlds/own/play-service.ts'

/** A world that answers the oldest request when `answer` is called. */
function slowWorld() {
  const waiting: (() => void)[] = []
  const moment = (text: string): OwnMoment => ({ text, picture: null, outcome: 'open', distance: null })
  const play: OwnPlayer['play'] = async (_world, _task, commands) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return ['start', ...commands].map(moment)
  }
  return { player: { play } as OwnPlayer, answer: () => waiting.shift()!() }
}

const world = { name: 'Numbers', file: 'numbers.ts', script: '', hash: '' }
const task = { id: 'a', body: {}, instruction: 'Say 5.', world }

it('says that the world has yet to answer, and takes the next command when it has', async () => {
  const { player, answer } = slowWorld()
  const hand = new HandWorld(player, task, 20)
  expect(hand.isAnswering).toBe(true)
  answer()
  await expect.poll(() => hand.isAnswering).toBe(false)
  const said = hand.say('4')
  expect(hand.isAnswering).toBe(true)
  await hand.say('5')
  answer()
  await said
  expect(hand.isAnswering).toBe(false)
  expect(hand.turns.map(({ command }) => command)).toEqual(['4'])
})

it('starts over while a command is being answered, and does not take that answer', async () => {
  const { player, answer } = slowWorld()
  const hand = new HandWorld(player, task, 20)
  answer()
  await expect.poll(() => hand.isAnswering).toBe(false)
  const said = hand.say('4')
  const restarted = hand.restart()
  answer()
  await said
  expect([hand.isAnswering, hand.turns.length]).toEqual([true, 0])
  answer()
  await restarted
  expect([hand.isAnswering, hand.turns.length]).toEqual([false, 0])
})
