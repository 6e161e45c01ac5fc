/**
 * The ground truth about a step, against which the reward model's process accuracy is measured:
 *
 *     +1  if the distance to the goal decreased, or the step was the first to show something still missing, a page that may hold it,
 *         or the application that it is in
 *     -1  otherwise
 *
 * `done` is +1 exactly if it wins; `fail` exactly if the task is infeasible and everything that shows it was on the screen, because
 * before that a feasible task has the same transcript.
 */
import type { Missing } from '../engine/game.ts'
import type { DesktopState } from '../engine/state.ts'

export function stepLabel(
  before: DesktopState,
  after: DesktopState,
  distanceBefore: number,
  distanceAfter: number,
): 1 | -1 {
  if (distanceAfter < distanceBefore) return 1
  if (distanceAfter === Infinity) return -1
  return seeksMissing(before, after) ? 1 : -1
}

function seeksMissing(before: DesktopState, after: DesktopState): boolean {
  if (before.seen === after.seen) return false
  return stillMissing(before).some(({ app, mayHold }) => {
    const shown = after.seen[app]! & ~before.seen[app]!
    return (shown & mayHold) !== 0 || (shown !== 0 && before.seen[app] === 0)
  })
}

/** What the agent has not seen yet. */
export function stillMissing({ game, seen }: DesktopState): Missing[] {
  return game.missing.filter(({ app, at }) => (seen[app]! & at) === 0)
}
