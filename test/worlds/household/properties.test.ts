import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  admissibleCommands,
  formatCommand,
  parseCommand,
  stripped,
} from '../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { nameOf, type HouseholdGame } from '../../../src/worlds/household/engine/game.ts'
import { nextCommandKnowingAll } from '../../../src/worlds/household/planning/expert.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { helpText, nothingHappens } from '../../../src/worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../../src/worlds/household/planning/plan.ts'
import {
  cloneState,
  condition,
  contentsOf,
  startGame,
  type Dialect,
  type GameState,
} from '../../../src/worlds/household/engine/state.ts'
import { worldOf } from '../../../src/worlds/household/engine/rooms.ts'
import { isLeftOut, noGames, officialGames } from './official-data.ts'
import { anyCommand, tinyGame } from './rooms.ts'

const unending = { stepLimit: Number.MAX_SAFE_INTEGER }

/** A game and a walk through it: each step is free text, or an admissible command by number. */
function walkOf(game: HouseholdGame): fc.Arbitrary<(string | number)[]> {
  return fc.array(fc.oneof(anyCommand(game), fc.nat()), { maxLength: 30 })
}

const gameAndWalk = fc
  .oneof(tinyGame, fc.integer({ min: 0, max: 400 }).map(generated))
  .chain((game) => fc.tuple(fc.constant(game), walkOf(game)))

function generated(seed: number): HouseholdGame {
  const split = (['train', 'id', 'ood'] as const)[seed % 3]!
  return generateGame({ seed, split, sceneSize: seed % 2 ? 'compact' : 'full' })
}

function textOf(state: GameState, choice: string | number): string {
  if (typeof choice === 'string') return choice
  const commands = admissibleCommands(state)
  return commands[choice % commands.length]!
}

/** All facts of a game, for comparing states. */
function factsOf(state: GameState): string {
  const sorted = (lists: readonly (readonly number[])[]) => lists.map((list) => [...list].sort((a, b) => a - b))
  const { place, held, conditions, open, whereabouts } = state
  return JSON.stringify([place, held, [...conditions], [...open], sorted(whereabouts)])
}

/** Property names of every JavaScript object, which no lookup may find. */
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'] as const

/** Text of any characters: halves of surrogate pairs, NUL, blanks of all kinds. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...' \t\n\v\f\r\0\x1c\x85\xa0\u2003\u2028\ufeff', 'look'), maxLength: 6 }),
)

const inheritedCommand = fc
  .tuple(
    fc.constantFrom('A', 'go to A', 'open A', 'examine A', 'use A', 'take A from A', 'move A to A', 'heat A with A'),
    fc.constantFrom(...inherited, ...inherited.map((name) => `${name} 1`)),
  )
  .map(([form, name]) => form.replaceAll('A', name))

const longText = fc
  .tuple(anyText, fc.constantFrom('', ' ', 'go to ', 'take a from ', '1'), fc.integer({ min: 1, max: 20_000 }))
  .map(([text, unit, count]) => text + (unit || text).repeat(count))

/** Free text; or an admissible command by number, with other text around it. */
type Typed = string | { choice: number; before: string; behind: string }

function typedIn(game: HouseholdGame): fc.Arbitrary<Typed> {
  const blanks = fc.constantFrom('', '', '', ' ', '\n', '\t \r\n', '\x1c', '\x85', '\u3000')
  const noise = fc.oneof({ weight: 8, arbitrary: blanks }, { weight: 1, arbitrary: anyText })
  return fc.oneof(
    { weight: 12, arbitrary: fc.record({ choice: fc.nat(), before: noise, behind: noise }) },
    { weight: 6, arbitrary: anyCommand(game) },
    { weight: 2, arbitrary: anyText },
    { weight: 1, arbitrary: inheritedCommand },
    { weight: 1, arbitrary: longText },
  )
}

function textTyped(state: GameState, typed: Typed): string {
  if (typeof typed === 'string') return typed
  const commands = admissibleCommands(state)
  return typed.before + commands[typed.choice % commands.length]! + typed.behind
}

const options = fc.record({
  dialect: fc.constantFrom<Dialect>('v1', 'v2'),
  explainRefusals: fc.boolean(),
  stepLimit: fc.constantFrom(7, 50, Number.MAX_SAFE_INTEGER),
})

const official = [...officialGames().values()]
isLeftOut('commands typed into official games', noGames)

const anyGame = fc.oneof(
  tinyGame,
  fc.nat(1000).map(generated),
  ...(official.length > 0 ? [fc.nat(official.length - 1).map((index) => official[index]!.game)] : []),
)

/** Objects in impossible places, or hot and cool at once. */
function unsoundObjects({ game, held, whereabouts, conditions }: GameState): string[] {
  const { hot, cool } = condition
  return game.objects
    .filter(({ in: start }, object) => {
      const receptacles = whereabouts[object]!
      const isListedOnce = new Set(receptacles).size === receptacles.length
      const areReceptacles = receptacles.every((receptacle) => game.receptacles[receptacle] !== undefined)
      // A reachable object is in the hand or in a receptacle; an unreachable one stays so.
      const isKept = (held === object || receptacles.length > 0) === start.length > 0
      return !(isListedOnce && areReceptacles && isKept && (conditions[object]! & (hot | cool)) !== (hot | cool))
    })
    .map(nameOf)
}

describe('whatever is typed', () => {
  it('never throws, loses or renames anything, and is accepted exactly if it is admissible', () => {
    const cases = anyGame.chain((game) =>
      fc.tuple(fc.constant(game), options, fc.array(typedIn(game), { maxLength: 60, size: 'max' })),
    )
    fc.assert(
      fc.property(cases, ([game, startOptions, walk]) => {
        const asGiven = JSON.stringify(game)
        const names = new Set([...game.receptacles, ...game.objects].map(nameOf))
        const state = startGame(game, startOptions)
        for (const typed of walk) {
          const before = cloneState(state)
          const admissible = state.done ? [] : admissibleCommands(state)
          const { accepted, observation, won } = step(state, textTyped(before, typed))
          expect(accepted).toBe(admissible.includes(stripped(textTyped(before, typed))))
          expect(state.steps).toBe(before.steps + (before.done ? 0 : 1))
          if (before.won) expect(won).toBe(true)
          if (!accepted) {
            expect(observation.startsWith(nothingHappens)).toBe(true)
            expect(observation === nothingHappens).toBe(!startOptions.explainRefusals)
            expect(factsOf(state)).toBe(factsOf(before))
          } else if (observation !== helpText) {
            const told = [...observation.matchAll(/(?!loc )\b[a-z]+ \d+/g)].map(([name]) => name)
            expect(told.filter((name) => !names.has(name))).toEqual([])
          }
          expect(unsoundObjects(state)).toEqual([])
          expect(state.done).toBe(state.won || state.steps >= state.stepLimit)
        }
        for (const command of state.done ? [] : admissibleCommands(state)) {
          expect(step(cloneState(state), command).accepted).toBe(true)
        }
        expect(JSON.stringify(game)).toBe(asGiven)
      }),
      { numRuns: 250 },
    )
  })

  it('gives the same results again, from the start and from a copy', () => {
    const cases = anyGame.chain((game) =>
      fc.tuple(fc.constant(game), options, fc.array(typedIn(game), { maxLength: 40, size: 'max' }), fc.nat(39)),
    )
    fc.assert(
      fc.property(cases, ([game, startOptions, walk, copiedAt]) => {
        const state = startGame(game, startOptions)
        const copies: GameState[] = []
        const outcomes = walk.map((typed, index) => {
          if (index === copiedAt) copies.push(structuredClone(state), cloneState(state))
          const text = textTyped(state, typed)
          return { text, ...step(state, text) }
        })
        const again = startGame(structuredClone(game), startOptions)
        for (const { text, ...outcome } of outcomes) expect(step(again, text)).toEqual(outcome)
        expect(again).toEqual(state)
        for (const copy of copies) {
          for (const { text, ...outcome } of outcomes.slice(copiedAt)) expect(step(copy, text)).toEqual(outcome)
          expect(copy).toEqual(state)
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('any sequence of commands', () => {
  it('reads back every command that it writes, and lists every object under its first name', () => {
    fc.assert(
      fc.property(gameAndWalk, ([game, walk]) => {
        const state = startGame(game, unending)
        const world = worldOf(game)
        const names = world.objects.map((object) => object.name)
        for (const choice of walk) step(state, textOf(state, choice))
        for (const text of admissibleCommands(state)) {
          expect(formatCommand(world, 'v2', parseCommand(world, 'v2', text)!)).toBe(text)
        }
        for (const receptacle of world.receptacles) {
          const contents = contentsOf(state, receptacle.index)
          expect([...contents].sort((a, b) => a - b)).toEqual(contents)
        }
        expect(new Set(names).size).toBe(names.length)
      }),
      { numRuns: 60 },
    )
  })
})

/** The length of a shortest plan by exhaustive search; Infinity if there is none. */
function distanceBySearch(start: GameState): number {
  let frontier = [start]
  const seen = new Set([factsOf(start)])
  for (let distance = 0; frontier.length > 0; distance++) {
    const next: GameState[] = []
    for (const state of frontier) {
      if (state.won) return distance
      for (const command of admissibleCommands(state)) {
        const after = cloneState(state)
        step(after, command)
        const facts = factsOf(after)
        if (seen.has(facts)) continue
        seen.add(facts)
        next.push(after)
      }
    }
    frontier = next
  }
  return Infinity
}

describe('the distance to the goal', () => {
  it('equals that of a breadth-first search over all commands, from any state', () => {
    const kinds = new Map<string, number>()
    fc.assert(
      fc.property(
        tinyGame.chain((game) => fc.tuple(fc.constant(game), fc.array(fc.nat(), { maxLength: 8 }))),
        ([game, walk]) => {
          const state = startGame(game, unending)
          for (const choice of walk) if (!state.won) step(state, textOf(state, choice))
          const distance = distanceToGoal(state)
          kinds.set(`${distance}`, (kinds.get(`${distance}`) ?? 0) + 1)
          expect(distance).toBe(distanceBySearch(state))
        },
      ),
      { numRuns: 60 },
    )
    // Some games must be neither trivial nor hopeless.
    expect(kinds.size).toBeGreaterThan(3)
  })

  it('drops by one with each command of the expert with full knowledge', () => {
    fc.assert(
      fc.property(gameAndWalk, ([game, walk]) => {
        const state = startGame(game, unending)
        for (const choice of walk) if (!state.won) step(state, textOf(state, choice))
        let distance = distanceToGoal(state)
        if (distance === Infinity) return
        while (!state.won) {
          step(state, nextCommandKnowingAll(state).command)
          expect(distanceToGoal(state)).toBe(--distance)
        }
      }),
      { numRuns: 100 },
    )
  })
})
