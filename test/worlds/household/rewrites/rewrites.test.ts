import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { playExpert } from '../../../../src/worlds/household/planning/expert.ts'
import { goalSentence, nameOf, type Goal } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { splitOf } from '../../../../src/worlds/household/generator/splits.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { formatRewrite, parseRewrite } from '../../../../src/worlds/household/rewrites/language.ts'
import { applyRewrite } from '../../../../src/worlds/household/rewrites/apply.ts'
import { expertLength, possibleRewrites } from '../../../../src/worlds/household/rewrites/candidates.ts'
import type { TaskRewrite } from '../../../../src/worlds/household/rewrites/language.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import {
  describeTask,
  gameOf,
  initialKnowledge,
  taskOf,
  type HouseholdTask,
} from '../../../../src/worlds/household/task.ts'
import { room } from '../rooms.ts'

const goal: Goal = { taskType: 'pick_clean_then_place_in_recep', object: 'mug', target: 'cabinet' }
const task = taskOf(
  room(
    `
    cabinet 1 closed: cup 1
    countertop 1: apple 1, book 1, mug 2
    drawer 1 closed: spoon 1
    fridge 1 closed: egg 1, mug 1
    microwave 1 closed: nothing
    sinkbasin 1: nothing
    `,
    goal,
  ),
)

function applied(from: HouseholdTask, ...texts: string[]): HouseholdTask {
  return texts.reduce((current, text, i) => {
    const outcome = applyRewrite(current, parseRewrite(text)!, `${from.id}/${i}`)
    if (!outcome.ok) throw new Error(`${text}: ${outcome.message}`)
    return outcome.task
  }, from)
}

const whereIs = (of: HouseholdTask, name: string) => gameOf(of).objects.find((object) => nameOf(object) === name)?.in

describe('rewriting', () => {
  it('changes the goal and the sentence that states it', () => {
    const changed = applied(task, 'goal spoon countertop')
    expect(changed.goal).toEqual({ ...goal, object: 'spoon', target: 'countertop' })
    expect(changed.instruction).toBe('put a clean spoon in countertop.')
    expect(changed).toMatchObject({ id: 'room/0', rootId: 'room', game: { goal } })
  })

  it('gives true hints, which end the instruction and inform the expert', () => {
    const hinted = applied(task, 'hint mug 1')
    expect(hinted.instruction).toBe('put a clean mug in cabinet. Hint: the mug 1 is in fridge 1.')
    expect(initialKnowledge(hinted).knownWhereabouts(startGame(gameOf(hinted)), 5)).toEqual([3])
    expect(applied(hinted, 'no hints').instruction).toBe('put a clean mug in cabinet.')
  })

  it('drops hints that no longer help', () => {
    expect(applied(task, 'hint mug 1', 'move mug 1 to countertop 1').hints).toEqual([])
    expect(applied(task, 'hint mug 1', 'goal spoon drawer').instruction).toBe('put a clean spoon in drawer.')
    expect(applied(task, 'hint mug 1', 'open fridge 1').hints).toHaveLength(1)
  })

  it('adds and removes objects without renaming any', () => {
    const more = applied(task, 'add 4')
    expect(gameOf(more).objects).toHaveLength(task.game.objects.length + 4)
    for (const object of task.game.objects) expect(whereIs(more, nameOf(object))).toEqual(object.in)
    const less = applied(more, 'remove cup 1')
    expect(whereIs(less, 'cup 1')).toBeUndefined()
    expect(whereIs(less, 'mug 2')).toEqual([1])
  })

  it('opens, closes and moves at the start', () => {
    expect(gameOf(applied(task, 'open fridge 1')).open).toEqual([3])
    expect(gameOf(applied(task, 'open fridge 1', 'close fridge 1')).open).toEqual([])
    expect(whereIs(applied(task, 'move mug 2 to microwave 1'), 'mug 2')).toEqual([4])
  })

  it('makes a target cool if it starts in the fridge, as in the official games', () => {
    expect(gameOf(applied(task, 'move mug 2 to fridge 1')).cool).toHaveLength(2)
    expect(gameOf(applied(task, 'goal egg microwave')).cool).toHaveLength(1)
  })

  const refusals: [string, string][] = [
    ['goal unicorn cabinet', 'unknown-name'],
    ['goal mug sofa', 'unknown-name'],
    ['goal book cabinet', 'not-capable'],
    ['goal apple cabinet', 'not-accepted'],
    ['goal mug cabinet', 'no-change'],
    ['hint mug 7', 'unknown-name'],
    ['hint apple 1', 'irrelevant'],
    ['no hints', 'no-change'],
    ['add 0', 'out-of-range'],
    ['add 9', 'out-of-range'],
    ['remove mug 1', 'needed'],
    ['remove mug 7', 'unknown-name'],
    ['open sinkbasin 1', 'no-change'],
    ['close sinkbasin 1', 'not-capable'],
    ['close fridge 1', 'no-change'],
    ['open fridge 2', 'unknown-name'],
    ['move book 1 to fridge 1', 'not-accepted'],
    ['move mug 2 to countertop 1', 'no-change'],
  ]
  it.each(refusals)('refuses "%s": %s', (text, reason) => {
    expect(applyRewrite(task, parseRewrite(text)!, 'x')).toMatchObject({ ok: false, reason })
  })

  it('refuses a task that is already won, needs more objects than there are, or takes too long', () => {
    const place = taskOf(
      room('countertop 1: mug 1, pen 1\nshelf 1: nothing', {
        taskType: 'pick_and_place_simple',
        object: 'mug',
        target: 'shelf',
      }),
    )
    expect(applyRewrite(place, parseRewrite('move mug 1 to shelf 1')!, 'x')).toMatchObject({
      ok: false,
      reason: 'already-won',
    })
    const two = taskOf(
      room('countertop 1: mug 2, mug 1, pen 1\nshelf 1: nothing', {
        taskType: 'pick_two_obj_and_place',
        object: 'mug',
        target: 'shelf',
      }),
    )
    expect(applyRewrite(two, parseRewrite('goal pen shelf')!, 'x')).toMatchObject({
      ok: false,
      reason: 'too-few-objects',
    })
    expect(applyRewrite(task, parseRewrite('goal spoon countertop')!, 'x', { stepLimit: 3 })).toMatchObject({
      ok: false,
      reason: 'too-long',
    })
  })

  it('keeps a training task in training, whatever its new goal', () => {
    const splits = new Set<string | null>()
    for (let seed = 0; seed < 8; seed++) {
      const trained = taskOf(generateGame({ seed, split: 'train', sceneSize: 'compact' }))
      const older = (['harder', 'easier'] as const).flatMap((direction) =>
        possibleRewrites(trained, direction, { allowsIdGoals: true }),
      )
      for (const rewrite of older) {
        if (rewrite.kind !== 'change-goal') continue
        const split = splitOf(trained.game.floorPlan, { ...trained.goal, ...rewrite })
        splits.add(split)
        const outcome = applyRewrite(trained, rewrite, 'x')
        expect(outcome).toMatchObject(split === 'train' ? { ok: true } : { ok: false, reason: 'held-out' })
      }
    }
    // An older log has goals of both, and no pair that only `ood` has.
    expect([...splits].sort()).toEqual(['id', 'train'])
  })
})

describe('possible rewrites', () => {
  it('are valid, go in their direction, and keep instruction, goal and game in agreement', () => {
    const seeds = fc.record({
      seed: fc.nat(10_000),
      direction: fc.constantFrom('harder', 'easier'),
      choices: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    })
    fc.assert(
      fc.property(seeds, ({ seed, direction, choices }) => {
        let current = taskOf(generateGame({ seed, split: 'train', sceneSize: 'compact' }))
        for (const choice of choices) {
          const rewrites = possibleRewrites(current, direction)
          if (rewrites.length === 0) return
          const rewrite = rewrites[choice % rewrites.length]!
          const outcome = applyRewrite(current, rewrite, `${current.id}/${choice}`)
          expect(outcome).toMatchObject({ ok: true })
          if (!outcome.ok) return
          const { task: next } = outcome
          expectAgreement(next)
          const change = expertLength(next) - expertLength(current)
          if (rewrite.kind !== 'add-distractors' && rewrite.kind !== 'remove-object') {
            expect(direction === 'harder' ? change : -change).toBeGreaterThan(0)
          }
          current = next
        }
      }),
      { numRuns: 25 },
    )
  })

  function expectAgreement(of: HouseholdTask): void {
    const game = gameOf(of)
    expect(game.goal).toEqual(of.goal)
    expect(of.goal.taskType).toBe(of.game.goal.taskType)
    const hints = of.hints.map(({ object, receptacle }) => ` Hint: the ${object} is in ${receptacle}.`)
    expect(of.instruction).toBe(`${goalSentence(of.goal, game.phrasing)}.${hints.join('')}`)
    for (const { object, receptacle } of of.hints) {
      expect(whereIs(of, object)!.map((index) => nameOf(game.receptacles[index]!))).toContain(receptacle)
    }
    const names = game.objects.map(nameOf)
    expect(new Set(names).size).toBe(names.length)
    const state = startGame(game)
    expect(state.won).toBe(false)
    expect(playExpert(state, initialKnowledge(of), seededRandom('solvable', of.id)).won).toBe(true)
    const copy = JSON.parse(JSON.stringify(of)) as HouseholdTask
    expect(copy).toEqual(of)
    expect(gameOf(copy)).toEqual(game)
  }
})

describe('an object inside others', () => {
  it('stays inside the others, with their new indices, when one of them is removed', () => {
    const game = room(
      `countertop 1: apple 1, bowl 1, cup 1, egg 1
       diningtable 1: nothing`,
      { taskType: 'pick_and_place_simple', object: 'apple', target: 'diningtable' },
    )
    game.objects[3]!.inside = [1, 2]
    const insideOf = (from: HouseholdTask) => gameOf(from).objects.map(({ noun, inside }) => [noun, inside])
    const withoutBowl = applied(taskOf(game), 'remove bowl 1')
    expect(insideOf(withoutBowl)).toEqual([['apple', undefined], ['cup', undefined], ['egg', [1]]]) // prettier-ignore
    const withoutBoth = applied(withoutBowl, 'remove cup 1')
    expect(insideOf(withoutBoth)).toEqual([['apple', undefined], ['egg', undefined]]) // prettier-ignore
  })
})

describe('rewrites as text', () => {
  const rewrites: TaskRewrite[] = [
    { kind: 'change-goal', object: 'mug', target: 'cabinet' },
    { kind: 'add-hint', object: 'mug 1' },
    { kind: 'remove-hints' },
    { kind: 'add-distractors', count: 3 },
    { kind: 'remove-object', object: 'plate 2' },
    { kind: 'open', receptacle: 'drawer 2' },
    { kind: 'close', receptacle: 'drawer 2' },
    { kind: 'move', object: 'mug 1', receptacle: 'drawer 2' },
  ]
  it.each(rewrites)('are read back unchanged: %j', (rewrite) => {
    expect(parseRewrite(` ${formatRewrite(rewrite)}.\n`)).toEqual(rewrite)
  })

  it('are null for anything else', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseRewrite(text)))
    for (const text of ['', 'goal mug', 'hint mug', 'open the drawer 1', 'add many'])
      expect(parseRewrite(text)).toBeNull()
  })
})

describe('a task as the author reads it', () => {
  it('has goal, hints, contents and closed receptacles', () => {
    expect(describeTask(applied(task, 'hint mug 1'))).toBe(
      `Goal: put a clean mug in cabinet. Hint: the mug 1 is in fridge 1.
cabinet 1 closed: cup 1
countertop 1: apple 1, book 1, mug 2
drawer 1 closed: spoon 1
fridge 1 closed: egg 1, mug 1
empty: microwave 1 closed, sinkbasin 1`,
    )
  })
})
