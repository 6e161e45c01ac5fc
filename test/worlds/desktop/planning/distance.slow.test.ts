import { describe, expect, it } from 'vitest'
import { TRASH } from '../../../../src/worlds/desktop/engine/facts.ts'
import { elementsOf } from '../../../../src/worlds/desktop/engine/elements.ts'
import { cloneState, startGame, type DesktopState } from '../../../../src/worlds/desktop/engine/state.ts'
import { step } from '../../../../src/worlds/desktop/engine/step.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { TEMPLATES } from '../../../../src/worlds/desktop/generator/templates.ts'
import { distanceToGoal } from '../../../../src/worlds/desktop/planning/distance.ts'
import { nextCommand } from '../../../../src/worlds/desktop/planning/expert.ts'
import { stepLabel, stillMissing } from '../../../../src/worlds/desktop/planning/step-label.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { allCommands, randomWalk } from '../random-play.ts'

const SEED = process.env['TEST_SEED'] ?? ''
const WALKS = Number(process.env['DESKTOP_WALKS'] ?? 24)

const split = (seed: number) => (seed % 2 === 0 ? 'train' : 'ood')

function after(state: DesktopState, command: string): DesktopState {
  const next = cloneState(state)
  step(next, command)
  return next
}

/** Plain breadth-first search over whole desktops, which knows nothing of applications. Null beyond `limit`. */
function searchedDistance(state: DesktopState, limit: number): number | null {
  const keyOf = ({ facts, documents, tables, front, pages, items, menus, dialog, seen }: DesktopState) =>
    JSON.stringify([facts, documents, tables, front, pages, items, menus, dialog, seen])
  let layer = [state]
  const known = new Set([keyOf(state)])
  for (let distance = 1; distance <= limit; distance++) {
    const next: DesktopState[] = []
    for (const here of layer) {
      for (const end of ['done', 'fail']) if (after(here, end).won) return distance
      if (distance === limit) continue
      for (const command of allCommands(here)) {
        const there = after(here, command)
        const key = keyOf(there)
        if (known.has(key)) continue
        known.add(key)
        next.push(there)
      }
    }
    layer = next
  }
  return null
}

describe('the distance to the goal', () => {
  it('is one more than the least distance after any command, in states of random play', () => {
    let states = 0
    for (let seed = 0; seed < WALKS; seed++) {
      const game = generateTask({ seed: 50_000 + seed, split: split(seed) })
      const random = seededRandom('walk', seed, SEED)
      for (const state of randomWalk(game, random, { steps: 18, wisdom: 0.3 }, nextCommand)) {
        const distance = distanceToGoal(state)
        const next = [...allCommands(state), 'done', 'fail'].map((command) => distanceToGoal(after(state, command)))
        expect(Math.min(...next) + 1, `${game.id}, ${JSON.stringify(state.facts)}`).toBe(distance)
        states++
      }
    }
    expect(states).toBeGreaterThanOrEqual(WALKS * 19)
  })

  it('counts what is in view in the browser before a link of a mail leads elsewhere', () => {
    for (let seed = 0; seed < 8; seed++) {
      const game = generateTask({ seed, split: 'ood', templates: ['bookmark-link'] })
      const state = startGame(game)
      const mail = game.desktop.mails[game.wish.parameters['mail'] as number]!
      const box = game.desktop.boxes[game.start.mails[game.wish.parameters['mail'] as number]!.box]!
      const preferences = ['Preferences', 'Options', 'Setup'][game.layout.words]!
      const commands = ['Mail', box, mail.subject, 'Browser', preferences, 'translation']
      for (const name of commands) expect(step(state, `click ${name}`).accepted, name).toBe(true)
      const next = allCommands(state).map((command) => distanceToGoal(after(state, command)))
      expect(distanceToGoal(state), game.id).toBe(Math.min(...next) + 1)
    }
  })

  it('agrees with plain search near the end of tasks', () => {
    let searched = 0
    for (let seed = 0; seed < 16; seed++) {
      const game = generateTask({ seed: 60_000 + seed, split: split(seed) })
      const random = seededRandom('search', seed, SEED)
      const states = [...randomWalk(game, random, { steps: 8, wisdom: 0.8 }, nextCommand)]
      const near = states.find((state) => distanceToGoal(state) <= 3)
      if (!near) continue
      // The walk has used up steps, which a distance does not count.
      near.steps = 0
      expect(searchedDistance(near, 3), game.id).toBe(distanceToGoal(near))
      searched++
    }
    expect(searched).toBeGreaterThan(5)
  })

  it('is the length of a plan that wins, in every template', () => {
    for (const { name, isOodTemplate } of TEMPLATES) {
      const game = generateTask({ seed: 1, split: isOodTemplate ? 'ood' : 'train', templates: [name] })
      const state = startGame(game, { stepLimit: 40 })
      for (let left = distanceToGoal(state); left > 0; left--) {
        expect(distanceToGoal(state)).toBe(left)
        step(state, nextCommand(state)!)
      }
      expect(state.won, name).toBe(true)
    }
  })

  it('does not depend on names, only on what is asked', () => {
    for (let seed = 0; seed < 12; seed++) {
      const game = generateTask({ seed, split: split(seed) })
      const rename = (text: string) =>
        text.replace(/\b([a-z]+)\.(png|txt|pdf)\b/g, '$1x.$2').replace(/\b([A-Z][a-z]{2,})\b/g, '$1q')
      const { layout, id, wish, ...rest } = game
      const renamed = JSON.parse(
        JSON.stringify(rest).replace(/"((?:[^"\\]|\\.)*)"(?!:)/g, (text, inner: string) =>
          inner === 'Downloads' || inner === 'choice' ? text : JSON.stringify(rename(inner)),
        ),
      ) as Omit<typeof game, 'layout' | 'id' | 'wish'>
      expect(distanceToGoal(startGame({ layout, id, wish, ...renamed })), id).toBe(distanceToGoal(startGame(game)))
    }
  })

  it('is infinite once a mail was sent that nobody asked for', () => {
    const game = generateTask({ seed: 3, split: 'train', templates: ['rename-file'] })
    const state = startGame(game)
    const { nested } = game.layout
    for (const command of ['click Mail', ...(nested.includes('write') ? ['click More'] : [])]) step(state, command)
    const write = elementsOf(state).find(({ effect }) => effect.kind === 'button' && effect.button === 'write')!
    for (const command of [`click ${write.name}`, 'type Ann', 'type hello']) step(state, command)
    expect(distanceToGoal(state)).toBeLessThan(20)
    step(state, 'click Send')
    expect(distanceToGoal(state)).toBe(Infinity)
  })
})

const labelOf = (state: DesktopState, command: string) => {
  const next = after(state, command)
  return stepLabel(state, next, distanceToGoal(state), distanceToGoal(next))
}

describe('folders that nobody asked for', () => {
  it('leave no room for the wanted one, even once they are removed, so that removing them is no progress', () => {
    const games = Array.from({ length: 50 }, (_, seed) =>
      generateTask({ seed, split: 'train', templates: ['new-folder'] }),
    )
    const game = games.find(({ layout }) => !layout.nested.includes('new'))!
    const state = startGame(game, { stepLimit: 60 })
    const press = (button: string) =>
      elementsOf(state).find(({ effect }) => effect.kind === 'button' && effect.button === button)!.name
    const make = (name: string) => {
      for (const command of [`click ${press('new')}`, `type ${name}`, 'click OK']) step(state, command)
      return state.facts.folders.includes(name)
    }
    step(state, 'click Files')
    const names = ['aa', 'bb', 'cc'].slice(0, TRASH - state.facts.folders.length)
    for (const name of names) {
      expect(distanceToGoal(state)).toBeLessThan(Infinity)
      expect(make(name)).toBe(true)
    }
    for (const name of names) {
      expect(distanceToGoal(state)).toBe(Infinity)
      step(state, `click ${name}`)
      expect(labelOf(state, `click ${press('delete')}`)).toBe(-1)
      step(state, `click ${press('delete')}`)
      expect(state.facts.folders).not.toContain(name)
    }
    expect(make(game.wish.parameters['name'] as string)).toBe(false)
  })
})

describe('the label of a step', () => {
  it('is +1 for done exactly where it wins, and for fail exactly where the evidence was seen', () => {
    for (let seed = 0; seed < 16; seed++) {
      const game = generateTask({ seed, split: split(seed) })
      const state = startGame(game)
      while (!state.done) {
        for (const end of ['done', 'fail']) expect(labelOf(state, end)).toBe(after(state, end).won ? 1 : -1)
        step(state, nextCommand(state)!)
      }
      expect(state.won).toBe(true)
    }
  })

  it('is +1 for the first look at a folder that may hold the file, and −1 for the second', () => {
    const game = generateTask({ seed: 9, split: 'train', templates: ['move-file'] })
    const seeds = Array.from({ length: 50 }, (_, seed) =>
      generateTask({ seed, split: 'train', templates: ['move-file'] }),
    )
    const hidden = seeds.find(({ missing }) => missing.length === 1 && (missing[0]!.at & 1) === 0)!
    expect(game.wish.template).toBe('move-file')
    const state = startGame(hidden)
    step(state, 'click Files')
    expect(stillMissing(state)).toHaveLength(1)
    const folders = hidden.start.folders.filter(
      (_, folder) => folder > 0 && (hidden.missing[0]!.at >> folder) % 2 === 0,
    )
    expect(labelOf(state, `click ${folders[0]!}`)).toBe(1)
    step(state, `click ${folders[0]!}`)
    expect(labelOf(state, `click ${folders[0]!}`)).toBe(-1)
    expect(labelOf(state, 'click Trash')).toBe(-1)
  })
})
