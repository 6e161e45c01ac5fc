import { describe, expect, it } from 'vitest'
import { HandDesktop } from '../../../../src/playground/worlds/desktop/hand-desktop.svelte.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'

const game = generateTask({ seed: 4, split: 'train', templates: ['new-folder'] })
const name = String(game.wish.parameters['name'])

describe('a task done by hand', () => {
  it('is won by clicks and keys that the engine’s own verifier accepts', () => {
    const hand = new HandDesktop(game, 20)
    hand.play('click Files')
    while (!hand.view.hasDialog) hand.play(hand.hint()!)
    for (const letter of `${name}x`) expect(hand.press(letter, false)).toBe(true)
    hand.press('Backspace', false)
    expect(hand.typed).toBe(name)
    hand.press('Enter', false)
    expect(hand.turns.at(-1)!.command).toBe(`type ${name}`)
    expect(hand.typed).toBe('')
    hand.press('Enter', false)
    expect(hand.turns.at(-1)!.command).toBe('key enter')
    expect(hand.distance).toBe(1)
    hand.play('done')
    expect([hand.isOver, hand.isWon]).toEqual([true, true])
  })

  it('is lost without being done, and leaves other keys to the page', () => {
    const hand = new HandDesktop(game, 20)
    expect(hand.press('ArrowLeft', false)).toBe(false)
    expect(hand.press('r', true)).toBe(false)
    hand.play('done')
    expect([hand.isOver, hand.isWon]).toEqual([true, false])
    expect(hand.press('a', false)).toBe(false)
    hand.restart()
    expect([hand.isOver, hand.turns.length]).toEqual([false, 0])
  })

  it('points at what a command acts on', () => {
    const hand = new HandDesktop(game, 20)
    const files = hand.view.elements.find((element) => element.name === 'Files')!
    hand.play('click Files')
    expect(hand.pointer).toEqual(files.place)
    hand.play('click nowhere')
    expect(hand.pointer).toEqual(files.place)
  })
})
