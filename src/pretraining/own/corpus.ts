/** Demonstrations of a world from a file, drawn once. Depends only on the world and the seed. */
import type { Direction } from '../../method/ports.ts'
import type { Demonstration } from '../../worlds/plain/demonstration.ts'
import { chance, integer, pick, seededRandom, unit } from '../../worlds/random.ts'
import type { Data, OwnGuest } from '../../worlds/own/guest.ts'
import { demonstrate, replay, type JudgedStep } from '../../worlds/own/roles/demonstrations.ts'
import { ownFormats } from '../../worlds/own/roles/plain-roles.ts'
import { describeTask } from '../../worlds/own/tasks.ts'
import { authorLine, drawAccuracy } from '../author-lines.ts'
import type { Piece } from '../demonstration-corpus.ts'
import type { PlayedGame } from '../played-games.ts'
import { MAX_STEPS, type DemonstrationRecipe } from './recipes.ts'

/** Seeds of tasks, apart from those that a run draws. */
const FIRST_TASK = 30_000_000
const SEED_DISTANCE = 100_000
/** Tasks that the expert plays without a slip, to show what it can. */
const SCOUTED = 40

export type Demonstrated = Demonstration<JudgedStep>

export function trainingTask(guest: OwnGuest, seed: number): Data {
  return guest.task('train', FIRST_TASK + seed)
}

/** What the expert does in a few tasks: its commands, in the order in which it gives them. */
export function scoutExpert(guest: OwnGuest): { commands: string[]; played: number; won: number } {
  const commands = new Set<string>()
  let wins = 0
  for (let index = 0; index < SCOUTED; index++) {
    const options = { slip: 0, maxSteps: MAX_STEPS, commands: [] }
    const { steps, won } = demonstrate(guest, trainingTask(guest, index), options, seededRandom('scout', index))
    for (const { command } of steps) commands.add(command)
    if (won) wins++
  }
  return { commands: [...commands], played: SCOUTED, won: wins }
}

export function demonstrations(
  guest: OwnGuest,
  commands: readonly string[],
  { episodes, slips }: DemonstrationRecipe,
  seed: number,
  purpose: string,
): Demonstrated[] {
  return Array.from({ length: episodes }, (_, index) => {
    const random = seededRandom('own corpus', purpose, seed, index)
    const slip = slips[0] + (slips[1] - slips[0]) * unit(random)
    const task = trainingTask(guest, seed * SEED_DISTANCE + index)
    return demonstrate(guest, task, { slip, maxSteps: MAX_STEPS, commands }, random)
  })
}

export const replayed = (guest: OwnGuest, { game, moves }: PlayedGame<Data>) => replay(guest, game, moves, MAX_STEPS)

/**
 * A task with a direction, an accuracy and a critic's summary in the form of method/step-judging/critic-summary.ts, and one of the
 * world's rewrites in that direction. Null if the drawn task has none.
 */
export function authorPieces(guest: OwnGuest, reasons: Reasons, seed: number, index: number): Piece[] | null {
  const random = seededRandom('own author corpus', seed, index)
  const direction: Direction = chance(random, 0.5) ? 'harder' : 'easier'
  const task = trainingTask(guest, seed * SEED_DISTANCE + index)
  const rewrites = guest.rewrites(task, direction).filter((text) => guest.rewrite(task, text) !== null)
  if (rewrites.length === 0) return null
  const accuracy = drawAccuracy(direction, random)
  const said = reasons[direction === 'harder' ? 'good' : 'bad']
  const criticSummary = `${pick(random, said)} x${integer(random, 8, 40)}`
  const request = { description: describeTask(guest, task), direction, accuracy, criticSummary }
  return authorLine(ownFormats.author, request, pick(random, rewrites))
}

/** Critics' reasons, by the score that they go with. */
export type Reasons = Record<'good' | 'bad', string[]>

export function reasonsIn(episodes: readonly Demonstrated[]): Reasons {
  const facts = episodes.flatMap(({ steps }) => steps.map((step) => step.facts))
  const distinct = (score: 'good' | 'bad') => [...new Set(facts.map((fact) => fact[score]))]
  return { good: distinct('good'), bad: distinct('bad') }
}
