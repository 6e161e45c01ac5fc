import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admissibleCommands, parseCommand, stripped } from '../../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import type { Goal, HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { helpText, nothingHappens } from '../../../../src/worlds/household/engine/observations.ts'
import { chance, pick, seededRandom, type Random } from '../../../../src/worlds/random.ts'
import { reasonFor } from '../../../../src/worlds/household/engine/refusal-sentences.ts'
import { refusalOf, type Refusal } from '../../../../src/worlds/household/engine/refusals.ts'
import {
  cloneState,
  contentsOf,
  startGame,
  type Dialect,
  type GameState,
} from '../../../../src/worlds/household/engine/state.ts'
import { worldOf } from '../../../../src/worlds/household/engine/rooms.ts'
import { randomCommand } from '../random-play.ts'
import { anyCommand, room, tinyGame } from '../rooms.ts'

const goal: Goal = { taskType: 'pick_clean_then_place_in_recep', object: 'mug', target: 'shelf' }
const kitchen = room(
  `
  cabinet 2 closed @0: cup 1
  cabinet 1 closed @0: nothing
  countertop 1: apple 1, bread 1, houseplant 1, knife 1, mug 1
  drawer 1: spoon 1
  fridge 1 closed: nothing
  shelf 1: desklamp 1
  sinkbasin 1: nothing
  `,
  goal,
)
const unending = { stepLimit: Number.MAX_SAFE_INTEGER, explainRefusals: true }

function after(commands: readonly string[], dialect: Dialect = 'v2', game: HouseholdGame = kitchen): GameState {
  const state = startGame(game, { ...unending, dialect })
  for (const command of commands) expect(step(state, command).accepted, command).toBe(true)
  return state
}

const withMug = ['go to countertop 1', 'take mug 1 from countertop 1']
const withKnife = ['go to countertop 1', 'take knife 1 from countertop 1']

/** Commands played before, the refused command, and the reason. */
const reasons: [string[], string, string][] = [
  [[], ' ', 'There was no command.'],
  [[], 'fly', 'That is not understood; try "help".'],
  [[], 'pick up mug 1', 'That is not understood; try "take (object) from (receptacle)".'],
  [[], 'look at shelf 1', 'That is not understood; try "examine (something)".'],
  [[], 'tkae mug 1', 'That is not understood; try "take (object) from (receptacle)".'],
  [[], 'take mug 1', 'The whole command is "take (object) from (receptacle)".'],
  [[], 'go shelf 1', 'The whole command is "go to (receptacle)".'],
  [[], 'put mug 1 in/on shelf 1', 'Here the command is "move (object) to (receptacle)".'],
  [[], 'Go to the shelf 1.', 'It has to be written "go to shelf 1".'],
  [[], 'go to cabinet', 'Say which one by its number, as in "cabinet 2".'],
  [[], 'go to cabinet 3', 'There is no receptacle of that name here.'],
  [[], 'open mug 1', 'There is no receptacle of that name here.'],
  [['go to shelf 1'], 'go to shelf 1', 'You are already at the shelf 1.'],
  [
    ['go to cabinet 1'],
    'go to cabinet 2',
    'You are already at the cabinet 2, which shares its place with the cabinet 1.',
  ],
  [[], 'open cabinet 1', 'You are not at the cabinet 1; go to it first.'],
  [[], 'examine shelf 1', 'You are not at the shelf 1; go to it first.'],
  [['go to drawer 1'], 'open drawer 1', 'The drawer 1 cannot be opened or closed.'],
  [['go to cabinet 1'], 'close cabinet 1', 'The cabinet 1 is already closed.'],
  [['go to cabinet 1', 'open cabinet 1'], 'open cabinet 1', 'The cabinet 1 is already open.'],
  [withMug, 'take apple 1 from countertop 1', 'Your hand already holds the mug 1.'],
  [[], 'take apple 1 from countertop 1', 'You are not at the countertop 1; go to it first.'],
  [['go to cabinet 2'], 'take cup 1 from cabinet 2', 'The cabinet 2 is closed; open it first.'],
  [['go to shelf 1'], 'take mug 1 from shelf 1', 'You see nothing of that name at the shelf 1.'],
  [['go to shelf 1'], 'take desklamp 1 from shelf 1', 'The desklamp 1 cannot be picked up.'],
  [[], 'move mug 1 to shelf 1', 'Your hand is empty.'],
  [withMug, 'move cup 1 to shelf 1', 'You do not hold that, but the mug 1.'],
  [withMug, 'move mug 1 to drawer 1', 'The drawer 1 is no place for the mug 1.'],
  [withMug, 'move mug 1 to shelf 1', 'You are not at the shelf 1; go to it first.'],
  [[...withMug, 'go to fridge 1'], 'move mug 1 to fridge 1', 'The fridge 1 is closed; open it first.'],
  [withMug, 'clean mug 1 with sinkbasin 1', 'You are not at the sinkbasin 1; go to it first.'],
  [withMug, 'clean mug 1 with fridge 1', 'Nothing is cleaned with the fridge 1; use a sinkbasin.'],
  [withKnife, 'heat knife 1 with shelf 1', 'The knife 1 cannot be heated.'],
  [[], 'cool mug 1 with fridge 1', 'Your hand is empty.'],
  [[], 'use mug 1', 'Only lamps can be used.'],
  [[], 'use desklamp 1', 'There is no such lamp at this place.'],
  [withKnife, 'examine mug 1', 'Only receptacles at this place and what is in your hand can be examined.'],
  [withMug, 'slice apple 1 with mug 1', 'The mug 1 does not slice; it takes a knife or a butterknife.'],
  [withMug, 'slice apple 1 with knife 1', 'You do not hold that, but the mug 1.'],
  [withKnife, 'slice mug 1 with knife 1', 'That cannot be sliced.'],
  [[...withKnife, 'go to shelf 1'], 'slice apple 1 with knife 1', 'That cannot be sliced from here.'],
]

describe('the reason why nothing happens', () => {
  it.each(reasons)('after %j, "%s": %s', (commands, refused, reason) => {
    const state = after(commands)
    expect(step(state, refused)).toMatchObject({ observation: `${nothingHappens} ${reason}`, accepted: false })
  })

  it('is the same for an object out of view and for one that does not exist, however it is written', () => {
    const nowhere = after([])
    const atShelf = after([...withMug, 'go to shelf 1'])
    for (const line of ['examine the N', 'Use the N.', 'take the N from countertop 1', 'slice the N with mug 1']) {
      for (const state of [nowhere, atShelf]) {
        const [unseen, absent] = ['apple 1', 'apple 9'].map((name) => reasonFor(state, line.replace('N', name)))
        expect([line, unseen]).toEqual([line, absent])
      }
    }
    const seen = after(['go to countertop 1'])
    expect(reasonFor(seen, 'Take the mug 1 from the countertop 1.')).toBe(
      'It has to be written "take mug 1 from countertop 1".',
    )
    expect(reasonFor(atShelf, 'examine the mug 1')).toBe('It has to be written "examine mug 1".')
  })

  it('uses the dialect of the game', () => {
    const inV1 = (line: string) => reasonFor(after([], 'v1'), line)
    expect(inV1('move mug 1 to shelf 1')).toBe('Here the command is "put (object) in/on (receptacle)".')
    expect(inV1('put mug 1 on shelf 1')).toBe('The whole command is "put (object) in/on (receptacle)".')
    expect(inV1('drop mug 1')).toMatch('"put (object) in/on (receptacle)"')
    expect(inV1('help')).toMatch('"look"')
  })

  it('is that the game is over once it is', () => {
    const state = startGame(kitchen, { stepLimit: 1, explainRefusals: true })
    step(state, 'look')
    expect(step(state, 'look').observation).toBe('Nothing happens. The game is over.')
  })
})

/** The observation of a command, played on a copy. */
function ask(state: GameState, command: string): string {
  return step(cloneState(state), command).observation
}

/** Whether a command is refused at this receptacle, opened if possible. */
function isRefusedAt(state: GameState, receptacle: number, line: string): boolean {
  const there = cloneState(state)
  there.place = worldOf(state.game).placeOf[receptacle]!
  there.open[receptacle] = 1
  return !step(there, line).accepted
}

const sliceable = ['apple', 'bread', 'egg', 'lettuce', 'potato', 'tomato']

/** Whether the reason is true, judged by what the game itself shows. */
function isTrue(state: GameState, line: string, refusal: Refusal): boolean {
  const { game, dialect } = state
  const world = worldOf(game)
  const text = stripped(line)
  const [verb = '', ...rest] = text.split(' ')
  const name = (receptacle: number) => world.receptacles[receptacle]!.name
  const thing = (object: number) => world.objects[object]!.name
  const facing = /^You are facing the (.*?)\. Next/.exec(ask(state, 'look'))?.[1]?.split(/, (?:and )?/) ?? []
  const inventory = ask(state, 'inventory')
  const isHeld = (object: number) => inventory === `You are carrying: a ${thing(object)}.`
  const seenAt = (receptacle: number) => ask(state, `examine ${name(receptacle)}`)
  const lists = (text: string, object: string) => new RegExp(`\\ba ${object}[,.]`).test(text)
  const isCommand = parseCommand(world, dialect, text) !== null
  const isNoLonger = (kind: Refusal['kind'], changed: GameState) =>
    step(cloneState(changed), line).accepted || refusalOf(changed, line).kind !== kind
  const knows = (word: string) => new RegExp(`^ {2}${word}\\b`, 'm').test(helpText)
  switch (refusal.kind) {
    case 'over':
      return state.done
    case 'silent':
      return text === ''
    case 'unknown':
      return !isCommand && (!knows(verb) || dialect === 'v1' || verb === 'look')
    case 'incomplete':
      return !isCommand && refusal.form.startsWith(verb) && text !== refusal.form
    case 'other-dialect':
      return !isCommand && verb === (dialect === 'v1' ? 'move' : 'put') && !refusal.form.startsWith(verb)
    case 'misspelt':
      return !isCommand && parseCommand(world, dialect, refusal.command) !== null
    case 'unnumbered':
      return text.endsWith(` ${name(refusal.receptacle).replace(/ \d+$/, '')}`)
    case 'no-receptacle':
      return !world.receptacles.some((receptacle) => text.endsWith(` ${receptacle.name}`))
    case 'already-there': {
      const others = refusal.sharedWith.map(name)
      return [...others, name(refusal.receptacle)].sort().join() === [...facing].sort().join()
    }
    case 'elsewhere': {
      const { receptacle } = refusal
      const there = cloneState(state)
      const wentThere = step(there, `go to ${name(receptacle)}`).accepted
      return !facing.includes(name(receptacle)) && wentThere && isNoLonger('elsewhere', there)
    }
    case 'not-openable':
      return seenAt(refusal.receptacle).startsWith(`On the ${name(refusal.receptacle)}, `)
    case 'already-open':
      return seenAt(refusal.receptacle).startsWith(`The ${name(refusal.receptacle)} is open.`)
    case 'already-closed':
      return seenAt(refusal.receptacle) === `The ${name(refusal.receptacle)} is closed.`
    case 'closed': {
      const opened = cloneState(state)
      const couldOpen = step(opened, `open ${name(refusal.receptacle)}`).accepted
      return couldOpen && isNoLonger('closed', opened)
    }
    case 'hand-full':
      return isHeld(refusal.held)
    case 'not-held': {
      const { held } = refusal
      if (held < 0) return inventory === 'You are not carrying anything.'
      const isNamed =
        verb === 'slice' ? text.endsWith(` with ${thing(held)}`) : text.startsWith(`${verb} ${thing(held)} `)
      return isHeld(held) && !isNamed
    }
    case 'not-seen':
      return !lists(seenAt(refusal.receptacle), rest.slice(0, 2).join(' '))
    case 'fixed': {
      const receptacle = world.receptacleNamed.get(rest.slice(3).join(' '))!
      return lists(seenAt(receptacle), thing(refusal.object)) && isRefusedAt(state, receptacle, line)
    }
    case 'not-accepted':
      return isHeld(refusal.object) && isRefusedAt(state, refusal.receptacle, line)
    case 'wrong-appliance':
      return isRefusedAt(state, refusal.receptacle, line)
    case 'untreatable':
      return (
        isHeld(refusal.object) &&
        world.receptacles.every(({ index, name }) =>
          isRefusedAt(state, index, `${refusal.treatment} ${thing(refusal.object)} with ${name}`),
        )
      )
    case 'no-lamp':
      return !/lamp( \d+)?$/.test(text)
    case 'lamp-elsewhere':
      return facing.every((receptacle) => !lists(ask(state, `examine ${receptacle}`), rest.join(' ')))
    case 'not-examinable':
      return !facing.includes(rest.join(' ')) && inventory !== `You are carrying: a ${rest.join(' ')}.`
    case 'blunt':
      return isHeld(refusal.held) && !['knife', 'butterknife'].includes(thing(refusal.held).split(' ')[0]!)
    case 'not-sliceable':
      return !sliceable.includes(rest[0]!)
    case 'not-at-hand':
      return sliceable.includes(rest[0]!)
  }
}

/** All kinds of refusal, so the test below can check that it has seen every one. */
const kinds = [
  'already-closed', 'already-open', 'already-there', 'blunt', 'closed', 'elsewhere', 'fixed', 'hand-full',
  'incomplete', 'lamp-elsewhere', 'misspelt', 'no-lamp', 'no-receptacle', 'not-accepted', 'not-at-hand',
  'not-examinable', 'not-held', 'not-openable', 'not-seen', 'not-sliceable', 'other-dialect', 'over', 'silent',
  'unknown', 'unnumbered', 'untreatable', 'wrong-appliance',
] as const satisfies readonly Refusal['kind'][] // prettier-ignore

const misses = [
  'go to B', 'open B', 'close B', 'examine A', 'examine B', 'take A from B', 'move A to B', 'put A in/on B',
  'clean A with B', 'heat A with B', 'cool A with B', 'use A', 'slice A with H', 'slice A with H',
  'slice A with H', 'slice A with A', 'take A', 'go B', 'grab A', 'put A on B',
] as const // prettier-ignore

/** A command about objects within reach that is often refused. */
function nearMiss(random: Random, state: GameState): string {
  const world = worldOf(state.game)
  const here = world.receptaclesAt[state.place] ?? []
  const near = here.flatMap((receptacle) => contentsOf(state, receptacle))
  const objects = [...near, ...near, ...world.sliceables, ...(state.held < 0 ? [] : [state.held, state.held])]
  const nameOf = (entities: readonly { name: string }[], indices: readonly number[]) =>
    (indices.length > 0 && chance(random, 0.8) ? entities[pick(random, indices)]! : pick(random, entities)).name
  return pick(random, misses)
    .replaceAll('A', () => nameOf(world.objects, objects))
    .replace('B', () => nameOf(world.receptacles, here))
    .replace('H', () => nameOf(world.objects, state.held < 0 ? [] : [state.held]))
}

describe('every reason in random play', () => {
  it('is true', () => {
    const seen = new Map<Refusal['kind'], number>()
    const untrue: string[] = []
    for (let seed = 0; seed < 120; seed++) {
      const sceneSize = seed % 2 ? 'compact' : 'full'
      const game = generateGame({ seed, split: 'train', sceneSize })
      const random = seededRandom('refusals', seed)
      const state = startGame(game, { stepLimit: 120, explainRefusals: true, dialect: seed % 3 ? 'v2' : 'v1' })
      for (let i = 0; i < 121; i++) {
        const admissible = admissibleCommands(state)
        const command = i % 2 ? nearMiss(random, state) : randomCommand(random, game, admissible)
        if (state.done || !admissible.includes(stripped(command))) {
          const refusal = refusalOf(state, command)
          seen.set(refusal.kind, (seen.get(refusal.kind) ?? 0) + 1)
          if (!isTrue(state, command, refusal)) untrue.push(`${game.id}: ${command}: ${JSON.stringify(refusal)}`)
        }
        step(state, command)
      }
    }
    expect(untrue.slice(0, 5)).toEqual([])
    expect([...seen.keys()].sort()).toEqual(kinds)
  })
})

const gameAndLines = tinyGame.chain((game) =>
  fc.tuple(fc.constant(game), fc.array(fc.oneof(anyCommand(game), fc.string({ unit: 'binary' })), { maxLength: 30 })),
)

describe('reasons', () => {
  it('add one short sentence to the original observation, and change nothing else', () => {
    fc.assert(
      fc.property(gameAndLines, fc.constantFrom<Dialect>('v1', 'v2'), ([game, lines], dialect) => {
        const silent = startGame(game, { ...unending, dialect, explainRefusals: false })
        const talking = startGame(game, { ...unending, dialect })
        for (const line of lines) {
          const { observation, ...outcome } = step(silent, line)
          const explained = step(talking, line)
          expect(explained).toMatchObject(outcome)
          if (outcome.accepted) expect(explained.observation).toBe(observation)
          else {
            expect(observation).toBe(nothingHappens)
            expect(explained.observation).toMatch(/^Nothing happens\. [A-Z][^\n]{5,120}[.]$/)
          }
        }
        expect({ ...talking, explainRefusals: false }).toEqual(silent)
      }),
      { numRuns: 150 },
    )
  })

  it('reveal nothing about unseen objects', () => {
    fc.assert(
      fc.property(gameAndLines, ([game, lines]) => {
        const state = startGame(game, unending)
        const world = worldOf(game)
        for (const line of lines) {
          const { place, open } = state
          const isHidden = (r: number) =>
            world.placeOf[r] !== place || (world.receptacles[r]!.isOpenable && open[r] === 0)
          const emptied = cloneState(state)
          emptied.whereabouts = state.whereabouts.map((receptacles, object) =>
            // A lamp can be used through a closed door.
            world.objects[object]!.isLamp ? receptacles : receptacles.filter((r) => !isHidden(r)),
          )
          if (!step(cloneState(state), line).accepted) expect(reasonFor(emptied, line)).toBe(reasonFor(state, line))
          step(state, line)
        }
      }),
      { numRuns: 150 },
    )
  })
})
