import { expect, it } from 'vitest'
import { HandWorld } from '../../../../src/playground/worlds/own/hand-world.svelte.ts'
import type { OwnPlayer } from '../../../../src/playground/worlds/own/own-player.ts'
import type { OwnMoment } from '../../../../src/worlds/own/play-service.ts'

/** A world that answers when `answer` is called. */
function slowWorld() {
  let answer: () => void = () => {}
  const moment = (text: string): OwnMoment => ({ text, picture: null, outcome: 'open', distance: null })
  const play: OwnPlayer['play'] = async (_world, _task, commands) => {
    await new Promise<void>((resolve) => (answer = resolve))
    return ['start', ...commands].map(moment)
  }
  return { player: { play } as OwnPlayer, answer: () => answer() }
}

it('says that the world has yet to answer, and takes the next command when it has', async () => {
  const { player, answer } = slowWorld()
  const world = { name: 'Numbers', file: 'numbers.ts', script: '', hash: '' }
  const hand = new HandWorld(player, { id: 'a', body: {}, instruction: 'Say 5.', world }, 20)
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
