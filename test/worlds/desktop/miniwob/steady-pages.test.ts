/** Pages that are opened again when a neighbour takes them with it. */
import { expect, it } from 'vitest'
import {
  NeighbourError,
  PageError,
  type OpenPage,
  type PageRequest,
} from '../../../../src/worlds/desktop/miniwob/protocol.ts'
import { steadyPages } from '../../../../src/worlds/desktop/miniwob/steady-pages.ts'

/** Pages that count what they were asked, and throw as `troubles` says at each question of all pages together. */
function counting(troubles: Record<number, Error>) {
  const closed: number[] = []
  let opened = 0
  let questions = 0
  const open: OpenPage = async () => {
    const its = ++opened
    let asked = 0
    return {
      ask: async () => {
        const trouble = troubles[++questions]
        if (trouble) throw trouble
        asked++
        const nothing = { elements: [], isDone: false, rawReward: 0, isAccepted: true, error: null }
        return { ...nothing, utterance: `page ${its}, question ${asked}` }
      },
      close: () => closed.push(its),
    }
  }
  return { open: steadyPages(open), closed }
}

const START: PageRequest = { ask: 'start', seed: 1, limitMs: null, isReal: false }
const VIEW: PageRequest = { ask: 'view' }

it('asks a page that is opened again everything once more', async () => {
  const { open, closed } = counting({ 3: new NeighbourError('gone'), 5: new NeighbourError('gone again') })
  const page = await open('A')
  const said = [await page.ask(START), await page.ask(VIEW), await page.ask(VIEW), await page.ask(VIEW)]
  expect(said.map(({ utterance }) => utterance)).toEqual([
    'page 1, question 1',
    'page 1, question 2',
    'page 3, question 3',
    'page 3, question 4',
  ])
  page.close()
  expect(closed).toEqual([3])
})

it('leaves a page that fails by itself failed, and gives up where neighbours go on to hang', async () => {
  const failing = await counting({ 1: new PageError('It hangs.') }).open('A')
  await expect(failing.ask(START)).rejects.toThrow('It hangs.')
  const always = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [at + 1, new NeighbourError('gone')]))
  const page = await counting(always).open('A')
  await expect(page.ask(START)).rejects.toThrow('gone')
})
