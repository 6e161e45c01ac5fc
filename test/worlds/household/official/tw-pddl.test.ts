/** Reads official game files and compares them with re-encoded games, which others made from the same files. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import { taskSentence, type HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { openingText } from '../../../../src/worlds/household/engine/observations.ts'
import { GameFileError } from '../../../../src/worlds/household/official/game-file-error.ts'
import { readTwPddl } from '../../../../src/worlds/household/official/tw-pddl.ts'
import { distanceToGoal } from '../../../../src/worlds/household/planning/plan.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import { applyRewrite } from '../../../../src/worlds/household/rewrites/apply.ts'
import type { TaskRewrite } from '../../../../src/worlds/household/rewrites/language.ts'
import { gameOf, taskOf, type HouseholdTask } from '../../../../src/worlds/household/task.ts'
import { gameFiles, isLeftOut, noGameFiles, noPack, officialGames, print } from '../official-data.ts'
import { room } from '../rooms.ts'
import { gameText, problemText } from './game-text.ts'
import { expectSame } from './same-game.ts'

/** The id from a release's folders, without the split. */
const withoutSplit = (id: string) => id.split('/').slice(1).join('/')

describe.skipIf(isLeftOut('game files against the re-encoded ones', noGameFiles ?? noPack))(
  'a released game file',
  () => {
    it('equals the re-encoded game, fact by fact and word by word', () => {
      for (const { id, path } of gameFiles) {
        const official = officialGames().get(id)!
        const { game, walkthrough } = readTwPddl(readFileSync(path, 'utf8'), path)
        expectSame(game, official.game)
        expect(game.id).toBe(withoutSplit(id))
        expect(taskSentence(game)).toBe(`${official.goalText}.`)
        expect(walkthrough).toEqual(official.walkthrough)
      }
      print(`Read ${gameFiles.length} released game files.`)
    })
  },
)

describe.skipIf(isLeftOut('game files as released', noGameFiles))('a released game file', () => {
  it('is won by its walkthrough, only with the last command, and by no shorter plan', () => {
    for (const { path } of gameFiles) {
      const { game, walkthrough } = readTwPddl(readFileSync(path, 'utf8'), path)
      const state = startGame(game)
      expect(distanceToGoal(state)).toBe(walkthrough.length)
      const won = walkthrough.map((command) => step(state, command).won)
      expect(won).toEqual(walkthrough.map((_, index) => index === walkthrough.length - 1))
    }
  })

  it('is a game or has a one-sentence reason after losing any one of its facts', () => {
    const facts = /\n *\(\w+ [^()]*\)(?=\s)/g
    const choice = fc.record({ file: fc.nat(gameFiles.length - 1), fact: fc.nat() })
    fc.assert(
      fc.property(choice, ({ file, fact }) => {
        const { path } = gameFiles[file]!
        const json = JSON.parse(readFileSync(path, 'utf8')) as { pddl_problem: string }
        const all = [...json.pddl_problem.matchAll(facts)]
        const lost = all[fact % all.length]!
        json.pddl_problem =
          json.pddl_problem.slice(0, lost.index) + json.pddl_problem.slice(lost.index + lost[0].length)
        expectGameOrReason(JSON.stringify(json))
      }),
      { numRuns: 300 },
    )
  })
})

// ------------------------------------------------------------------------------------------------- without the data

const kitchen = room(
  `cabinet 2 closed @0: mug 2
   cabinet 1 closed @0: pan 1
   countertop 1: bread 1, cup 1, egg 2, pan 1
   fridge 1 closed: mug 1
   microwave 1 closed: nothing
   sinkbasin 1: nothing
   stoveburner 1: pan 1
   nowhere: egg 1, footstool 1`,
  { taskType: 'pick_and_place_simple', object: 'mug', target: 'countertop' },
  { cool: [6] },
)
const path = 'json_2.1.1/train/pick_and_place_simple-Mug-None-CounterTop-7/trial_T1/game.tw-pddl'
const read = (text: string) => readTwPddl(text, path).game

/** Why a file is refused. */
function reasonOf(text: string, at = path): string {
  try {
    readTwPddl(text, at)
  } catch (error) {
    if (error instanceof GameFileError) return error.message
    throw error
  }
  throw new Error('The file was read.')
}

function edited(change: (problem: string) => string, game = kitchen): string {
  const json = JSON.parse(gameText(game)) as { pddl_problem: string }
  const problem = change(json.pddl_problem)
  if (problem === json.pddl_problem) throw new Error('The edit changed nothing.')
  return JSON.stringify({ ...json, pddl_problem: problem })
}

const withFact = (fact: string) => edited((problem) => problem.replace('(:init', `(:init (${fact})`))
const without = (fact: RegExp) => edited((problem) => problem.replace(fact, ''))

const locationOfFridge = (problem: string) => /AtLocation Fridge\S* (\w+)/.exec(problem)![1]

function expectGameOrReason(text: string): void {
  let game: HouseholdGame
  let walkthrough: string[]
  try {
    ;({ game, walkthrough } = readTwPddl(text, path))
  } catch (error) {
    expect(error).toBeInstanceOf(GameFileError)
    expect((error as Error).message).toMatch(/^(It|Its|A|"|The)[^\n]{5,250}\.$/)
    return
  }
  const state = startGame(game)
  expect(state.won).toBe(false)
  expect(distanceToGoal(state)).toBeLessThan(Infinity)
  for (const command of walkthrough) expect(step(state, command).accepted).toBe(true)
  expect(state.won).toBe(walkthrough.length > 0)
  expect(taskOf(game).instruction).toBe(taskSentence(game))
}

/** Objects with their receptacles in the order of the list, and with explicit places. */
function located({ objects, receptacles }: HouseholdGame) {
  return objects.map((object) => ({
    ...object,
    in: [...object.in].sort((a, b) => a - b),
    place: object.place ?? receptacles[object.in[0] ?? -1]?.place ?? -1,
  }))
}

describe('reading a game file', () => {
  it('reproduces any generated game, small or large, with its names and order', () => {
    const options = fc.record({ seed: fc.nat(10_000), sceneSize: fc.constantFrom('compact', 'full') })
    fc.assert(
      fc.property(options, ({ seed, sceneSize }) => {
        const { origin: _, ...game } = generateGame({ seed, split: 'train', sceneSize })
        const read = readTwPddl(gameText(game), path).game
        const { v1Locations: __, id: ___, floorPlan: ____, ...facts } = read
        const { id: _____, floorPlan: ______, ...expected } = game
        expect({ ...facts, objects: located(read) }).toEqual({ ...expected, objects: located(game) })
      }),
      { numRuns: 60 },
    )
  })

  it('reads floor plan, task and trial from the folders, and works without them', () => {
    expect(readTwPddl(gameText(kitchen), path).game).toMatchObject({
      id: 'pick_and_place_simple-Mug-None-CounterTop-7/trial_T1',
      floorPlan: 7,
    })
    expect(readTwPddl(gameText(kitchen), 'my/kitchen.tw-pddl').game).toMatchObject({
      id: 'my/kitchen.tw-pddl',
      floorPlan: 0,
    })
    // Loose files all have the same name; the name inside the file identifies them.
    expect(readTwPddl(gameText(kitchen), 'game.tw-pddl').game.id).toBe('plan_trial_room/game.tw-pddl')
  })

  it('recognises the kind of room without folders', () => {
    const goal = { taskType: 'pick_and_place_simple', object: 'cloth', target: 'cart' } as const
    const lone = (line: string) =>
      readTwPddl(gameText(room(`${line}\ncart 1: nothing`, goal)), 'a/b.tw-pddl').game.floorPlan
    expect(lone('bed 1: cloth 1')).toBe(300)
    expect(lone('toilet 1: cloth 1')).toBe(400)
    expect(lone('sofa 1: cloth 1')).toBe(200)
  })

  it('keeps a crowd worker’s sentence verbatim in the opening', () => {
    const sentence = 'Put the "blue" mug beside the bread..'
    const game = read(gameText(kitchen, { sentence }))
    expect(game.sentence).toBe(sentence)
    expect(openingText(startGame(game))).toMatch(/Your task is to: Put the "blue" mug beside the bread\.\.$/)
    expect(taskOf(game).instruction).toBe(sentence)
  })

  it('keeps that sentence through rewrites until one changes the goal', () => {
    const task = taskOf(read(gameText(kitchen, { sentence: 'Mug to the counter' })))
    const rewritten = (from: HouseholdTask, rewrite: TaskRewrite) => {
      const outcome = applyRewrite(from, rewrite, 'rewritten')
      if (!outcome.ok) throw new Error(outcome.message)
      return outcome.task
    }
    const hinted = rewritten(task, { kind: 'add-hint', object: 'mug 1' })
    expect(hinted.instruction).toBe('Mug to the counter Hint: the mug 1 is in fridge 1.')
    const changed = rewritten(hinted, { kind: 'change-goal', object: 'cup', target: 'cabinet' })
    expect(changed.instruction).toBe('put a cup in cabinet.')
    expect(gameOf(changed).sentence).toBeUndefined()
  })

  it('rewrites the sentence in the same phrasing if it is for another goal, and drops the walkthrough', () => {
    const written = gameText(kitchen, { sentence: 'clean some cup and put it in cabinet.', walkthrough: ['look'] })
    const { game, walkthrough } = readTwPddl(written, path)
    expect([taskSentence(game), game.sentence, walkthrough]).toEqual(['put some mug on countertop.', undefined, []])
  })

  const win = ['go to fridge 1', 'open fridge 1', 'take mug 1 from fridge 1', 'go to countertop 1', 'move mug 1 to countertop 1'] // prettier-ignore
  const walkthroughOf = (walkthrough: string[]) => readTwPddl(gameText(kitchen, { walkthrough }), path).walkthrough

  it('accepts a winning walkthrough, also with commands from before 0.4 and with ids for names', () => {
    expect(walkthroughOf(win)).toEqual(win)
    expect(walkthroughOf([...win.slice(0, 4), 'put mug 1 in/on countertop 1'])).toEqual(win)
    const ids = { 'fridge 1': 'fridge_bar__plus_0003', 'mug 1': 'mug_bar__plus_0006', 'countertop 1': 'countertop_bar__plus_0002' } // prettier-ignore
    const withIds = win.map((command) =>
      Object.entries(ids).reduce((text, [name, id]) => text.replace(name, id), command),
    )
    expect(walkthroughOf(withIds)).toEqual(win)
  })

  it('drops a walkthrough that does not win', () => {
    expect(walkthroughOf(win.slice(0, 4))).toEqual([])
    expect(walkthroughOf([...win, 'look'])).toEqual([])
    expect(walkthroughOf(['take spoon 1 from drawer 1', ...win])).toEqual([])
    expect(walkthroughOf(['go to cloud_bar_7', ...win])).toEqual([])
  })

  it('numbers an invisible object without a type among its noun', () => {
    const game = read(
      edited((problem) =>
        problem
          .replace('(:init', '(:init (pickupable Egg_bar__plus_0002_bar_Half)')
          .replace('(:objects', '(:objects Egg_bar__plus_0002_bar_Half - object'),
      ),
    )
    expect(game.objects.filter(({ noun }) => noun === 'egg').map(({ number }) => number)).toEqual([3, 1])
  })

  it('recognises a goal with any nesting and variable names', () => {
    const flat = edited((problem) =>
      problem.replace(
        /\(:goal .*\)/,
        '(:goal (exists (?x ?y) (and (receptacleType ?y CountertopType) (and (inReceptacle ?x ?y) (objectType ?x MugType)))))',
      ),
    )
    expect(read(flat).goal).toEqual(kitchen.goal)
  })

  it('opens receptacles that start open, and ignores unused facts', () => {
    expect(read(withFact('opened Fridge_bar__plus_0003')).open).toEqual([3])
    expect(read(withFact('isOn Mug_bar__plus_0005'))).toEqual(read(gameText(kitchen)))
    expect(read(withFact('= (total-cost) 0'))).toEqual(read(gameText(kitchen)))
  })

  it('requires two different objects in a goal for two', () => {
    const two = room('desk 1: pen 1\nshelf 1: pen 2', {
      taskType: 'pick_two_obj_and_place',
      object: 'pen',
      target: 'desk',
    })
    expect(read(gameText(two)).goal).toEqual(two.goal)
    expect(reasonOf(edited((problem) => problem.replaceAll('?p', '?o'), two))).toContain("none of ALFWorld's six")
  })

  it.each<[string, string, string | RegExp]>([
    ['truncated JSON', gameText(kitchen).slice(0, 900), 'It is not JSON'],
    ['an empty file', '', 'It is not JSON'],
    ['a list', '[]', 'without a "pddl_problem"'],
    ['null', 'null', 'without a "pddl_problem"'],
    ['other JSON', '{"images": []}', 'without a "pddl_problem"'],
    ['a number for PDDL', '{"pddl_problem": 3, "grammar": ""}', 'is not text'],
    ['no grammar', JSON.stringify({ pddl_problem: problemText(kitchen) }), 'no "grammar"'],
    ['no sentence', JSON.stringify({ pddl_problem: problemText(kitchen), grammar: '{}' }), 'no sentence'],
    ['an unsolvable game', gameText(kitchen).replace('"solvable":true', '"solvable":false'), 'marked as unsolvable'],
    [
      'a strange walkthrough',
      gameText(kitchen).replace('"solvable":true', '"walkthrough":[1]'),
      'not a list of commands',
    ],
    ['truncated PDDL', edited((problem) => problem.slice(0, -300)), /ends with \d parentheses still open/],
    ['one parenthesis too many', edited((problem) => `${problem})`), 'never opened'],
    ['no PDDL', edited(() => 'nothing'), 'defines nothing'],
    ['another domain', edited((problem) => problem.replace('alfred', 'blocks')), 'domain "blocks"'],
    ['no goal', edited((problem) => problem.replace(':goal', ':gaol')), 'no section ":goal"'],
    ['an empty goal', edited((problem) => problem.replace(/\(:goal .*\)/, '(:goal)')), 'Its goal is empty'],
    [
      'another goal',
      edited((problem) => problem.replace('(inReceptacle ?o ?r)', '(holds ?r ?o)')),
      "none of ALFWorld's six",
    ],
    ['a sliced goal', edited((problem) => problem.replace('(inReceptacle ?o ?r)', '(inReceptacle ?o ?r) (isSliced ?o)')), 'sliced'], // prettier-ignore
    ['a movable goal', edited((problem) => problem.replace('(inReceptacle ?o ?r)', '(inReceptacle ?o ?r) (inReceptacleObject ?p ?o)')), 'movable'], // prettier-ignore
    ['a goal without objects', edited((problem) => problem.replace('?o MugType', '?o UnicornType')), '"unicorn", an unknown type'], // prettier-ignore
    ['a goal without target', edited((problem) => problem.replace('?r CountertopType', '?r CloudType')), '"cloud", an unknown type'], // prettier-ignore
    ['an unknown object', edited((problem) => problem.replaceAll('CupType', 'UnicornType')), 'object of the unknown type "unicorn"'], // prettier-ignore
    ['an unknown receptacle', edited((problem) => problem.replaceAll('FridgeType', 'CloudType')), 'receptacle of the unknown type "cloud"'], // prettier-ignore
    ['an unknown fact', withFact('levitates Mug_bar__plus_0005'), '"levitates"'],
    ['a fact about nothing', withFact('pickupable Ghost_bar_1'), '"ghost_bar_1", which is not among its objects'],
    ['a fact of wrong length', withFact('pickupable'), 'has 0 arguments instead of 1'],
    ['a fact about the wrong thing', withFact('openable Mug_bar__plus_0005'), 'the object "mug_bar__plus_0005"'],
    ['a list for a name', withFact('pickupable (a b)'), 'instead of a name'],
    ['a hot start', withFact('isHot Mug_bar__plus_0005'), 'starts with something hot'],
    ['a full hand', withFact('holds agent1 Mug_bar__plus_0005'), 'starts with something in the hand'],
    ['a receptacle without type', without(/\(receptacleType Fridge\S* \w+\)/), 'has no type'],
    ['a receptacle without place', without(/\(receptacleAtLocation Fridge\S* \w+\)/), 'has no place'],
    ['a receptacle at two places', withFact('receptacleAtLocation Fridge_bar__plus_0003 loc_bar_9998_bar_60'), 'two places'], // prettier-ignore
    ['a thing without type', without(/\(objectType Mug\S* \w+\)/), 'has no type'],
    ['a thing at two places', edited((problem) => problem.replace('(:init', `(:init (objectAtLocation Mug_bar__plus_0005 ${locationOfFridge(problem)})`)), 'two places'], // prettier-ignore
    ['no agent', without(/\(atLocation agent1 \w+\)/), 'exactly one agent'],
    ['a start at the fridge', edited((problem) => problem.replace(/\(atLocation agent1 \w+\)/, `(atLocation agent1 ${locationOfFridge(problem)})`)), 'starts at a receptacle'], // prettier-ignore
    ['other abilities', without(/\(cleanable Mug\S*\)/), 'does not say that a mug is "cleanable"'],
    [
      'other rules',
      without(/\(canContain CountertopType MugType\)/),
      'does not say that a countertop can contain a mug',
    ],
    ['more rules', withFact('canContain StoveburnerType MugType'), 'says that a stoveburner can contain a mug'],
    ['a thing with a strange name', edited((problem) => problem.replaceAll('Mug_bar__plus_0005', 'Mug')), '"mug"'],
    [
      'a won game',
      gameText({ ...kitchen, goal: { ...kitchen.goal, object: 'bread' } }),
      'won before the first command',
    ],
    ['a hopeless game', gameText({ ...kitchen, goal: { ...kitchen.goal, object: 'butterknife' } }), 'cannot be won'],
  ])('says what is wrong with %s', (_, text, reason) => {
    expect(reasonOf(text)).toMatch(reason)
    expectGameOrReason(text)
  })

  it('refuses by the folder’s name what ALFWorld excludes', () => {
    for (const folder of [
      'pick_and_place_with_movable_recep-Mug-Pan-Desk-7',
      'pick_and_place_simple-AppleSliced-None-Desk-7',
    ]) {
      expect(reasonOf(gameText(kitchen), `train/${folder}/trial_1/game.tw-pddl`)).toContain('ALFWorld excludes')
    }
  })

  it('does not overflow on endless parentheses', () => {
    const deep = '('.repeat(200_000)
    expect(reasonOf(edited(() => deep))).toContain('200000 parentheses still open')
    const goal = `${'(and '.repeat(50_000)}${')'.repeat(50_000)}`
    expect(reasonOf(edited((problem) => problem.replace(/\(:goal .*\)/, `(:goal ${goal})`)))).toContain('six')
  })

  it('gives a game or one sentence for any damage: cuts, changed bytes, lost and repeated lines', () => {
    const written = gameText(kitchen, {
      walkthrough: ['go to cabinet 2', 'open cabinet 2', 'take mug 2 from cabinet 2', 'go to countertop 1', 'move mug 2 to countertop 1'], // prettier-ignore
    })
    const lines = JSON.parse(written) as { pddl_problem: string }
    const damage = fc.oneof(
      fc.nat(written.length).map((end) => written.slice(0, end)),
      fc
        .array(fc.record({ at: fc.nat(written.length - 1), code: fc.integer({ min: 9, max: 255 }) }), {
          minLength: 1,
          maxLength: 4,
        })
        .map((changes) =>
          changes.reduce(
            (text, { at, code }) => text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1),
            written,
          ),
        ),
      fc.record({ from: fc.nat(), to: fc.nat(), isMove: fc.boolean() }).map(({ from, to, isMove }) => {
        const parts = lines.pddl_problem.split('\n')
        const moved = parts.splice(from % parts.length, 1)
        if (isMove) parts.splice(to % parts.length, 0, ...moved, ...moved)
        return JSON.stringify({ ...lines, pddl_problem: parts.join('\n') })
      }),
      fc.record({ from: fc.nat(), to: fc.nat() }).map(({ from, to }) => {
        const words = lines.pddl_problem.split(' ')
        words[to % words.length] = words[from % words.length]!
        return JSON.stringify({ ...lines, pddl_problem: words.join(' ') })
      }),
    )
    fc.assert(fc.property(damage, expectGameOrReason), { numRuns: 2000 })
  })
})
