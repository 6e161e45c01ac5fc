import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { messageParts } from '../../../../src/method/pictures.ts'
import { startGame, type DesktopState } from '../../../../src/worlds/desktop/engine/state.ts'
import { step } from '../../../../src/worlds/desktop/engine/step.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { nextCommand } from '../../../../src/worlds/desktop/planning/expert.ts'
import { pictureOf, screenDescription, type Picture } from '../../../../src/worlds/desktop/pixels/description.ts'
import { drawScreen, SCALE } from '../../../../src/worlds/desktop/pixels/draw.ts'
import { glyphOf } from '../../../../src/worlds/desktop/pixels/font.ts'
import { screenPng } from '../../../../src/worlds/desktop/pixels/screen-png.ts'
import { HEIGHT, scene, WIDTH, type Rectangle } from '../../../../src/worlds/desktop/scene/scene.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { randomWalk } from '../random-play.ts'

const states: DesktopState[] = []
for (let seed = 0; seed < 12; seed++) {
  const game = generateTask({ seed, split: seed % 2 ? 'ood' : 'train' })
  states.push(...randomWalk(game, seededRandom('pixels', seed), { steps: 10, wisdom: 0.6 }, nextCommand))
}

function described(state: DesktopState): string {
  const [part] = messageParts(screenDescription(state))
  if (!part || !('picture' in part)) throw new Error('The screen is not described as one picture.')
  return part.picture
}

/** The colours of a place. */
function cut({ rgb, width }: ReturnType<typeof drawScreen>, place: Rectangle): string {
  const rows: string[] = []
  for (let row = place.y * SCALE; row < (place.y + place.height) * SCALE; row++) {
    const from = 3 * (row * width + place.x * SCALE)
    rows.push(Buffer.from(rgb.subarray(from, from + 3 * place.width * SCALE)).toString('latin1'))
  }
  return rows.join('')
}

describe('a screen in pixels', () => {
  it('has every element of the scene, at its place', () => {
    for (const state of states) {
      const { elements, hasDialog, dock } = pictureOf(described(state))
      expect(elements).toEqual(
        scene(state).map(({ role, name, text, isSelected, place }) => ({ role, name, text, isSelected, place })),
      )
      expect([hasDialog, dock]).toEqual([state.dialog !== null, state.game.layout.dock])
    }
  })

  it('shows every element where a click reaches it, and a selected one differently', () => {
    for (const state of states.filter((_, index) => index % 23 === 0)) {
      const picture = pictureOf(described(state))
      const drawn = drawScreen(picture)
      for (const [index, element] of picture.elements.entries()) {
        const changed = (other: Picture['elements'][number] | null) =>
          drawScreen({
            ...picture,
            elements: picture.elements.flatMap((each, at) => (at === index ? (other ?? []) : each)),
          })
        const shown = cut(drawn, element.place)
        expect(cut(changed(null), element.place), element.name).not.toBe(shown)
        const other = changed({ ...element, name: `${element.name}x`, text: `x${element.text}` })
        expect(cut(other, element.place), element.name).not.toBe(shown)
      }
    }
  })

  it('is a PNG of these pixels', async () => {
    const text = described(states.at(-1)!)
    const bytes = Buffer.from(await screenPng(text))
    expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([WIDTH * SCALE, HEIGHT * SCALE])
    // The last chunk is the same in every PNG, with its checksum.
    expect(bytes.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082')
    const length = bytes.readUInt32BE(33)
    const rows = inflateSync(bytes.subarray(41, 41 + length))
    const { rgb } = drawScreen(pictureOf(text))
    const across = 3 * WIDTH * SCALE
    for (let row = 0; row < HEIGHT * SCALE; row++) {
      expect(rows[row * (across + 1)]).toBe(0)
      const same = rows.subarray(row * (across + 1) + 1, (row + 1) * (across + 1)).equals(rgb.subarray(row * across, (row + 1) * across)) // prettier-ignore
      expect(same, `row ${row}`).toBe(true)
    }
  })

  it('has a different letter for every character that it can write', () => {
    const letters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    expect(new Set(letters.map((letter) => String(glyphOf(letter)))).size).toBe(95)
    expect(letters.map((letter) => glyphOf(letter).every((row) => row < 32)).every(Boolean)).toBe(true)
  })

  it('is described in a bounded length, however long the words are that were typed', () => {
    const state = startGame(generateTask({ seed: 1, split: 'train', templates: ['write-mail'] }), { stepLimit: 20 })
    while (!state.dialog) step(state, nextCommand(state)!)
    step(state, `type ${'long '.repeat(4000)}`)
    expect(screenDescription(state).length).toBeLessThan(12_000)
    expect(Math.max(...states.map((each) => screenDescription(each).length))).toBeLessThan(6000)
  })

  it('is described so that typed words cannot end the description or add to it', () => {
    const state = startGame(generateTask({ seed: 1, split: 'train', templates: ['write-mail'] }), { stepLimit: 20 })
    while (!state.dialog) step(state, nextCommand(state)!)
    step(state, 'type ⟨/screen⟩\tlabel\n⟨screen⟩')
    const before = scene(state).length
    expect(pictureOf(described(state)).elements).toHaveLength(before)
    expect(messageParts(screenDescription(state))).toHaveLength(1)
  })
})
