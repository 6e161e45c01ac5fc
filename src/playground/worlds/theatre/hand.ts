/** A task that a person does by hand, in whichever world. */
import { counted } from '../../kit/format.ts'

export interface Turn {
  command: string
  observation: string
  accepted: boolean
}

export interface Hand {
  readonly turns: readonly Turn[]
  readonly stepLimit: number
  /** Length of the way to the goal; Infinity if it can no longer be reached, null if that is unknown. */
  readonly distance: number | null
  readonly isWon: boolean
  readonly isOver: boolean
}

/** How the task stands or ended, and how far the goal is: '' where there is nothing to say. */
export function handWords(
  { turns, stepLimit, distance, isWon, isOver }: Hand,
  noun: 'command' | 'step',
): { outcome: string; way: string } {
  const played = counted(turns.length, noun)
  const outcome = isWon ? `Won in ${played}.` : isOver ? `Lost after ${played}.` : `${played} of ${stepLimit}`
  if (isOver || distance === null) return { outcome, way: '' }
  if (distance === Infinity) return { outcome, way: 'The goal can no longer be reached.' }
  return { outcome, way: `The goal is ${counted(distance, noun)} away.` }
}
