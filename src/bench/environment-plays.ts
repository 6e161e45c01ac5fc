/**
 * Recorded commands to measure the environment's speed with, so that every repetition, version and peer plays the same. Half are the
 * expert's, half are drawn from the admissible commands, and one in twenty of those is spoiled so that it is refused: a policy in
 * training does all three.
 */
import { admissibleCommands } from '../worlds/household/engine/commands.ts'
import { step } from '../worlds/household/engine/step.ts'
import { decide } from '../worlds/household/planning/expert.ts'
import type { HouseholdGame } from '../worlds/household/engine/game.ts'
import { generateGame } from '../worlds/household/generator/generate-game.ts'
import { Knowledge } from '../worlds/household/planning/knowledge.ts'
import { chance, pick, seededRandom } from '../worlds/random.ts'
import { startGame } from '../worlds/household/engine/state.ts'

export interface Play {
  game: HouseholdGame
  commands: readonly string[]
}

const EXPERT_SHARE = 0.5
const SPOILED_SHARE = 0.05

/** Depends only on the game; ends when the game is won or after the usual limit of 50 steps. */
export function recordPlay(game: HouseholdGame): Play {
  const random = seededRandom('bench play', game.id)
  const state = startGame(game)
  const knowledge = new Knowledge(game)
  const commands: string[] = []
  while (!state.done) {
    const command = chance(random, EXPERT_SHARE)
      ? decide(state, knowledge, random).command
      : chance(random, SPOILED_SHARE)
        ? `take nothing 1 from ${pick(random, game.receptacles).type} 1`
        : pick(random, admissibleCommands(state))
    commands.push(command)
    knowledge.update(command, step(state, command).accepted, state)
  }
  return { game, commands }
}

export function generatedPlays(count: number): Play[] {
  return Array.from({ length: count }, (_, seed) =>
    recordPlay(generateGame({ seed, split: 'train', sceneSize: 'full' })),
  )
}
