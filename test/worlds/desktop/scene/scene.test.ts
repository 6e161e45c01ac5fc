import { describe, expect, it } from 'vitest'
import { cloneState, type DesktopState } from '../../../../src/worlds/desktop/engine/state.ts'
import { step } from '../../../../src/worlds/desktop/engine/step.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { nextCommand } from '../../../../src/worlds/desktop/planning/expert.ts'
import { stepIn } from '../../../../src/worlds/desktop/scene/dialects.ts'
import { centreOf, elementAt, HEIGHT, scene, WIDTH } from '../../../../src/worlds/desktop/scene/scene.ts'
import { accessibilityTable, marksText } from '../../../../src/worlds/desktop/scene/tables.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { randomWalk } from '../random-play.ts'

const states: DesktopState[] = []
for (let seed = 0; seed < 16; seed++) {
  const game = generateTask({ seed, split: seed % 2 ? 'ood' : 'train' })
  states.push(...randomWalk(game, seededRandom('scene', seed), { steps: 12, wisdom: 0.5 }, nextCommand))
}

describe('the scene', () => {
  it('places every element on the screen, and no two on the same pixel', () => {
    const wrong: string[] = []
    for (const state of states) {
      const elements = scene(state)
      elements.forEach(({ place, name }, i) => {
        const right = place.x + place.width
        const bottom = place.y + place.height
        const isOnScreen = place.x >= 0 && place.y >= 0 && right <= WIDTH && bottom <= HEIGHT
        if (!isOnScreen || place.width <= 0 || place.height <= 0) wrong.push(`${name} of ${state.game.id}`)
        for (const { place: other, name: otherName } of elements.slice(i + 1)) {
          const isBeside = other.x >= right || other.x + other.width <= place.x
          const isBelow = other.y >= bottom || other.y + other.height <= place.y
          if (!isBeside && !isBelow) wrong.push(`${name} and ${otherName} of ${state.game.id}`)
        }
      })
    }
    expect(wrong).toEqual([])
  })

  it.each(['click', 'open'])('makes a %s by name, by mark, and on every corner of the box the same step', (verb) => {
    for (const state of states.filter((_, index) => index % 11 === 0)) {
      for (const { name, mark, place } of scene(state)) {
        const byName = cloneState(state)
        const expected = step(byName, `${verb} ${name}`)
        const last = { x: place.x + place.width - 1, y: place.y + place.height - 1 }
        const points = [place, { x: last.x, y: place.y }, { x: place.x, y: last.y }, last, centreOf(place)]
        const commands = points.map(({ x, y }) => ['points', `${verb} ${x} ${y}`] as const)
        for (const [dialect, command] of [['marks', `${verb} ${mark}`] as const, ...commands]) {
          const played = cloneState(state)
          expect(stepIn(played, command, dialect), name).toEqual(expected)
          expect(played).toEqual(byName)
        }
      }
    }
  })

  it('does nothing for a mark or a point that is not there, and takes a step', () => {
    const state = cloneState(states[0]!)
    expect(stepIn(state, 'click 99', 'marks')).toMatchObject({ observation: 'Nothing happens.', accepted: false })
    expect(stepIn(state, 'click 639 1', 'points').accepted).toBe(false)
    expect(stepIn(state, 'click Files', 'points').accepted).toBe(false)
    expect(state.steps).toBe(3)
    expect(elementAt(scene(state), 639, 1)).toBeNull()
    expect(stepIn(state, 'done', 'points').done).toBe(true)
  })

  it('gives the table and the marks a row for each element', () => {
    const game = generateTask({ seed: 5, split: 'train', templates: ['rename-file'] })
    const [, state] = [...randomWalk(game, seededRandom('table'), { steps: 1, wisdom: 1 }, () => 'click Files')]
    const elements = scene(state!)
    const rows = accessibilityTable(elements).split('\n')
    expect(rows[0]).toBe('tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)')
    expect(rows).toHaveLength(elements.length + 1)
    expect(rows[1]).toMatch(/^page-tab\tFiles\t""\t\tselected\t\(\d+, \d+\)\t\(\d+, \d+\)$/)
    expect(marksText(elements).split('\n')[0]).toBe('1 page-tab Files (selected)')
  })
})
