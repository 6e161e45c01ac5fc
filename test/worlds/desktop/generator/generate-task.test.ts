import { describe, expect, it } from 'vitest'
import { APPS } from '../../../../src/worlds/desktop/engine/facts.ts'
import { ALL_BUTTON_WORDS } from '../../../../src/worlds/desktop/engine/layout.ts'
import { elementsOf } from '../../../../src/worlds/desktop/engine/elements.ts'
import { startGame } from '../../../../src/worlds/desktop/engine/state.ts'
import { ALL_CONTROL_WORDS } from '../../../../src/worlds/desktop/generator/controls.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { domainOf, TEMPLATES } from '../../../../src/worlds/desktop/generator/templates.ts'
import { TRAINING_LAYOUTS, UNSEEN_LAYOUTS } from '../../../../src/worlds/desktop/generator/splits.ts'
import * as words from '../../../../src/worlds/desktop/generator/words.ts'
import { nextCommand, playExpert } from '../../../../src/worlds/desktop/planning/expert.ts'
import { distanceToGoal } from '../../../../src/worlds/desktop/planning/distance.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { randomWalk } from '../random-play.ts'

const SPLITS = ['train', 'id', 'ood'] as const
const tasks = SPLITS.map((split) => Array.from({ length: 80 }, (_, seed) => generateTask({ seed, split })))

describe('generated tasks', () => {
  it('depend on seed and split alone', () => {
    for (const split of SPLITS) {
      expect(generateTask({ seed: 7, split })).toEqual(generateTask({ seed: 7, split }))
      expect(generateTask({ seed: 8, split })).not.toEqual(generateTask({ seed: 7, split }))
    }
  })

  it('are unsolved at the start and solved by an expert who knows what an agent knows, with steps to spare', () => {
    for (const [index, game] of tasks.flat().entries()) {
      expect(distanceToGoal(startGame(game)), game.id).toBeGreaterThan(1)
      const { commands, won } = playExpert(game, seededRandom('check', index))
      expect(won, `${game.id}: ${commands.join(' / ')}`).toBe(true)
      expect(commands.length, game.id).toBeLessThanOrEqual(20)
    }
  })

  it('come in all templates, of which a few are impossible', () => {
    const [train, id, ood] = tasks.map((list) => new Set(list.map(({ wish }) => wish.template)))
    const common = TEMPLATES.filter(({ isOodTemplate, name }) => !isOodTemplate && !name.endsWith('impossible'))
    for (const { name } of common) expect(train!.has(name) || id!.has(name), name).toBe(true)
    for (const { name, isOodTemplate } of TEMPLATES) if (isOodTemplate) expect(ood!.has(name), name).toBe(true)
    const share = tasks[0]!.filter(({ evidence }) => evidence).length / tasks[0]!.length
    expect(share).toBeGreaterThan(0.02)
    expect(share).toBeLessThan(0.15)
    expect(domainOf('sort-table')).toBe('sheet')
    expect(() => domainOf('paint')).toThrow(RangeError)
  })

  it('keep layouts and templates of ood out of train and id', () => {
    const layoutOf = ({ layout }: (typeof tasks)[0][0]) => JSON.stringify(layout)
    const [train, id, ood] = tasks as [(typeof tasks)[0], (typeof tasks)[0], (typeof tasks)[0]]
    const seen = new Set([...train, ...id].map(layoutOf))
    expect(ood.some((game) => seen.has(layoutOf(game)))).toBe(false)
    expect([...train, ...id].some(({ wish }) => ['browser', 'several'].includes(domainOf(wish.template)))).toBe(false)
    expect(ood.filter(({ wish }) => ['browser', 'several'].includes(domainOf(wish.template))).length).toBeGreaterThan(
      30,
    )
    expect(UNSEEN_LAYOUTS).toHaveLength(5)
    expect(TRAINING_LAYOUTS).toHaveLength(31)
  })

  it('show every trait of the unseen layouts in training', () => {
    const traits = (layouts: typeof TRAINING_LAYOUTS) =>
      new Set(
        layouts.flatMap(({ layout }) => [
          `words ${layout.words}`,
          `order ${layout.order}`,
          `nested ${layout.nested.join()}`,
        ]),
      )
    const trained = traits(TRAINING_LAYOUTS)
    for (const trait of traits(UNSEEN_LAYOUTS)) expect(trained.has(trait), trait).toBe(true)
  })

  it('share no task between train and id', () => {
    const keyOf = ({ instruction, layout }: (typeof tasks)[0][0]) => instruction + JSON.stringify(layout)
    const train = new Set(tasks[0]!.map(keyOf))
    expect(tasks[1]!.filter((game) => train.has(keyOf(game)))).toEqual([])
  })

  it('name everything on a screen differently', () => {
    const flat = Object.values(words).flatMap((list): readonly string[] => (typeof list === 'string' ? [list] : list))
    const texts = new Set<string>([...words.REPLIES, ...words.MAIL_TEXTS])
    const names = [
      ...flat.filter((word) => !texts.has(word)),
      ...ALL_CONTROL_WORDS,
      ...ALL_BUTTON_WORDS,
      ...APPS,
      'Inbox',
    ]
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    for (const [index, game] of tasks.flat().slice(0, 24).entries()) {
      for (const state of randomWalk(game, seededRandom('names', index), { steps: 12, wisdom: 0.4 }, nextCommand)) {
        const shown = elementsOf(state).map(({ name }) => name)
        const twice = shown.filter((name, at) => shown.indexOf(name) !== at && !/^(new|reply|forward) /.test(name))
        expect(twice, game.id).toEqual([])
      }
    }
  })
})
