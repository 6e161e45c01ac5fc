/** What a world knows about its states beyond the outcome: given by the world, or found with its expert, or unknown. */
import type { Data, OwnGuest } from './guest.ts'

/** Commands that the expert may take where a world has no `distance`; farther goals count as out of reach. */
const FARTHEST = 50

/** Commands to the goal: Infinity if it cannot be reached, null if unknown. */
export function distanceOf(guest: OwnGuest, state: Data): number | null {
  if (guest.parts.has('distance')) return guest.distance(state)
  return guest.parts.has('expert') ? stepsOfExpert(guest, state) : null
}

function stepsOfExpert(guest: OwnGuest, start: Data): number {
  let state = start
  for (let steps = 0; steps <= FARTHEST; steps++) {
    const outcome = guest.outcome(state)
    if (outcome !== 'open') return outcome === 'won' ? steps : Infinity
    state = guest.step(state, guest.expert(state).command).state
  }
  return Infinity
}

interface Taken {
  before: Data
  command: string
  after: Data
  distanceBefore: number | null
  distanceAfter: number | null
}

/** Whether a step was good; null if unknown. */
export function labelOf(guest: OwnGuest, taken: Taken): 1 | -1 | null {
  const { before, command, after, distanceBefore, distanceAfter } = taken
  if (guest.parts.has('label')) return guest.label(before, command, after)
  if (distanceBefore === null || distanceAfter === null) return null
  return distanceAfter < distanceBefore ? 1 : -1
}
