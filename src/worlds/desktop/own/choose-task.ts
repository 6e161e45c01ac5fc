/**
 * Tasks that a person chooses: a drawn desktop, a kind of task, and one of the sentences that the kind has for this desktop. Then words
 * of the sentence may be set to others. They are training tasks: what measures generalisation is not offered, so that it stays unseen.
 */
import { hashOf, seededRandom } from '../../random.ts'
import type { DesktopGame } from '../engine/game.ts'
import { drawPlace, drawTaskOn, isPlayable } from '../generator/generate-task.ts'
import { templateNamed, TEMPLATES } from '../generator/templates.ts'
import { applyRewrite } from '../rewrites/apply.ts'
import { valuesOf } from '../rewrites/candidates.ts'
import { taskOf } from '../task.ts'

/** Names of the kinds that are trained on. */
export const OWN_KINDS: readonly string[] = TEMPLATES.flatMap(({ name, isOodTemplate }) =>
  isOodTemplate ? [] : [name],
)

const DRAWS = 300
/** More would not fit into a list that a person reads. */
const MOST_TASKS = 40

/** What a kind can ask for on the desktop of a seed, in the order of its sentences; empty if that is nothing. */
export function tasksOnDesktop(kind: string, seed: number): DesktopGame[] {
  const template = templateNamed(kind)
  const place = drawPlace({ split: 'train' }, seededRandom('own desktop', seed))
  const random = seededRandom('own task', seed, kind)
  const found = new Map<string, DesktopGame>()
  for (let draw = 0; draw < DRAWS && found.size < MOST_TASKS; draw++) {
    const game = drawTaskOn(place, template, { seed, split: 'train' }, random)
    if (!game || found.has(game.instruction) || !isPlayable(game, random)) continue
    found.set(game.instruction, { ...game, id: `${kind}/own-${seed}-${hashOf(game.instruction)}` })
  }
  return [...found.values()].sort((a, b) => a.instruction.localeCompare(b.instruction, 'en'))
}

/** Another word for one of the kind's parameters: a name, a folder, a level… */
export interface WordChange {
  parameter: string
  value: string
}

/** The task with the changes, or why one of them is refused: a sentence. */
export function withWords(game: DesktopGame, changes: readonly WordChange[]): DesktopGame | string {
  let task = taskOf(game)
  for (const { parameter, value } of changes) {
    const outcome = applyRewrite(task, { kind: 'set', parameter, value }, `${task.id}-${value}`)
    if (!outcome.ok) return outcome.message
    task = outcome.task
  }
  return task.game
}

/** Values that a parameter can be set to; a name may also have others. */
export function valuesFor(game: DesktopGame, parameter: string): string[] {
  return [...new Set(valuesOf(game))].filter((value) => typeof withWords(game, [{ parameter, value }]) !== 'string')
}
