import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  admissibleCommands,
  formatCommand,
  isAdmissible,
  type Command,
} from '../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { startGame, type Dialect } from '../../../src/worlds/household/engine/state.ts'
import { treatments } from '../../../src/worlds/household/engine/vocabulary.ts'
import { worldOf, type World } from '../../../src/worlds/household/engine/rooms.ts'

/** Every command about the objects of a game, sensible or not. */
function* sayable({ receptacles, objects }: World): Generator<Command> {
  yield* (['look', 'inventory', 'help'] as const).map((verb) => ({ verb }))
  for (const { index: receptacle } of receptacles) {
    yield* (['go', 'open', 'close', 'examine'] as const).map((verb) => ({ verb, receptacle }))
    for (const { index: object } of objects) {
      yield* (['take', 'move', ...treatments] as const).map((verb) => ({ verb, object, receptacle }))
    }
  }
  for (const { index: object } of objects) {
    yield* (['use', 'examine-object'] as const).map((verb) => ({ verb, object }))
    for (const { index: knife } of objects) yield { verb: 'slice', object, knife }
  }
}

describe('the list of admissible commands', () => {
  it('has exactly the admissible commands, each once, sorted by code point, in any state', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom<Dialect>('v1', 'v2'),
        fc.array(fc.nat(1000), { maxLength: 25 }),
        (seed, dialect, walk) => {
          const game = generateGame({ seed, split: 'train', sceneSize: seed % 2 ? 'compact' : 'full' })
          const world = worldOf(game)
          const commands = [...sayable(world)].map((command) => ({
            command,
            text: formatCommand(world, dialect, command),
          }))
          // Code units are code points here: names are plain letters and digits.
          commands.sort((a, b) => (a.text < b.text ? -1 : 1))
          const state = startGame(game, { dialect, stepLimit: Infinity })
          for (const choice of [...walk, 0]) {
            const expected = commands.filter(({ command }) => isAdmissible(world, state, command))
            const list = admissibleCommands(state)
            expect(list).toEqual(expected.map(({ text }) => text))
            step(state, list[choice % list.length]!)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('belongs to the caller: changing it changes no later list', () => {
    const state = startGame(generateGame({ seed: 1, split: 'train', sceneSize: 'full' }))
    const before = [...admissibleCommands(state)]
    admissibleCommands(state).length = 0
    expect(admissibleCommands(state)).toEqual(before)
  })
})
