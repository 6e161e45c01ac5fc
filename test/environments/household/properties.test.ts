import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  admissibleCommands,
  formatCommand,
  parseCommand,
  possibleCommands,
} from '../../../src/environments/household/commands.ts'
import { step } from '../../../src/environments/household/engine.ts'
import type { HouseholdGame } from '../../../src/environments/household/game.ts'
import { nextCommandKnowingAll } from '../../../src/environments/household/expert.ts'
import { generateGame } from '../../../src/environments/household/generator.ts'
import { nothingHappens } from '../../../src/environments/household/observations.ts'
import { distanceToGoal } from '../../../src/environments/household/plan.ts'
import { cloneState, contentsOf, startGame, type GameState } from '../../../src/environments/household/state.ts'
import { worldOf } from '../../../src/environments/household/world.ts'
import { anyCommand, tinyGame } from './rooms.ts'

const unending = { stepLimit: Number.MAX_SAFE_INTEGER }

/** A game and a walk through it: each step a free text, or the pick of an admissible command by number. */
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

/** Everything that a game may depend on, for comparing states. */
function factsOf(state: GameState): string {
  const sorted = (lists: readonly (readonly number[])[]) => lists.map((list) => [...list].sort((a, b) => a - b))
  const { place, held, conditions, open, whereabouts } = state
  return JSON.stringify([place, held, [...conditions], [...open], sorted(whereabouts)])
}

describe('any sequence of commands', () => {
  it('never throws, loses no object, and leaves the world as it was where nothing happens', () => {
    fc.assert(
      fc.property(gameAndWalk, ([game, walk]) => {
        const state = startGame(game, unending)
        const reachable = game.objects.map(({ in: receptacles }) => receptacles.length > 0)
        for (const choice of walk) {
          const before = cloneState(state)
          const { accepted, observation, won } = step(state, textOf(state, choice))
          if (!accepted) expect(factsOf(state)).toBe(factsOf(before))
          expect(accepted).toBe(observation !== nothingHappens)
          if (before.won) expect(won).toBe(true)
          game.objects.forEach((_, object) => {
            if (reachable[object]) expect(state.held === object || state.whereabouts[object]!.length > 0).toBe(true)
          })
          expect(structuredClone(state)).toEqual(state)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is answered exactly where it is admissible', () => {
    fc.assert(
      fc.property(gameAndWalk, ([game, walk]) => {
        const state = startGame(game, unending)
        for (const choice of walk) {
          if (state.done) break
          const admissible = new Set(admissibleCommands(state))
          const text = textOf(state, choice)
          expect(step(cloneState(state), text).accepted).toBe(admissible.has(text.trim()))
          step(state, text)
        }
        if (state.done) return
        for (const command of admissibleCommands(state)) expect(step(cloneState(state), command).accepted).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('reads back every command that it writes, and sees every held or listed thing under its first name', () => {
    fc.assert(
      fc.property(gameAndWalk, ([game, walk]) => {
        const state = startGame(game, unending)
        const world = worldOf(game)
        const names = world.objects.map((object) => object.name)
        for (const choice of walk) step(state, textOf(state, choice))
        for (const command of possibleCommands(state)) {
          expect(parseCommand(world, 'v2', formatCommand(world, 'v2', command))).toEqual(command)
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

/** The length of a shortest way, by looking at all of them; Infinity if there is none. */
function distanceBySearch(start: GameState): number {
  let frontier = [start]
  const seen = new Set([factsOf(start)])
  for (let distance = 0; frontier.length > 0; distance++) {
    const next: GameState[] = []
    for (const state of frontier) {
      if (state.won) return distance
      for (const command of possibleCommands(state)) {
        const after = cloneState(state)
        step(after, formatCommand(worldOf(state.game), 'v2', command))
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
  it('is what a breadth-first search over all commands finds, from wherever one has strayed', () => {
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
    // The games must not all be trivial or hopeless for this to mean something.
    expect(kinds.size).toBeGreaterThan(3)
  })

  it('drops by one with each command of the expert who knows all', () => {
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
