/** Random play: every command that may do something in a state, and states reached by playing such commands at random. */
import { elementsOf } from '../../../src/worlds/desktop/engine/elements.ts'
import { SHORTCUTS } from '../../../src/worlds/desktop/engine/commands.ts'
import type { DesktopGame } from '../../../src/worlds/desktop/engine/game.ts'
import { cloneState, startGame, type DesktopState } from '../../../src/worlds/desktop/engine/state.ts'
import { step } from '../../../src/worlds/desktop/engine/step.ts'
import { usefulCommands } from '../../../src/worlds/desktop/planning/expert.ts'
import { chance, pick, type Random } from '../../../src/worlds/random.ts'

/** Texts that random players type, besides what is wanted: names, words, numbers. */
const TEXTS = ['zebra.png', 'Attic', 'grey ghost', '7', '44', 'red', 'coat', 'Ann', 'yes please']

/** All clicks, all shortcuts, all useful texts and some useless ones. Without `done` and `fail`. */
export function allCommands(state: DesktopState): string[] {
  const clicks = elementsOf(state).map(({ name }) => `click ${name}`)
  const typed = [...usefulCommands(state)].filter((command) => command.startsWith('type '))
  const keys = SHORTCUTS.map((key) => `key ${key}`)
  return [...new Set([...clicks, ...typed, ...keys, ...TEXTS.map((text) => `type ${text}`)])]
}

/** States on a random walk from the start, which follows a shortest plan now and then so that it gets somewhere. */
export function* randomWalk(
  game: DesktopGame,
  random: Random,
  { steps, wisdom }: { steps: number; wisdom: number },
  wise: (state: DesktopState) => string | null,
): Generator<DesktopState> {
  const state = startGame(game, { stepLimit: steps + 1 })
  yield cloneState(state)
  for (let i = 0; i < steps; i++) {
    const advice = chance(random, wisdom) ? wise(state) : null
    const command =
      advice === null || advice === 'done' || advice === 'fail' ? pick(random, allCommands(state)) : advice
    step(state, command)
    yield cloneState(state)
  }
}
