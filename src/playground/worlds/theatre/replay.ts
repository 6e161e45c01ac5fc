/** What an episode looked like, and how rollouts are laid out beside each other. */

export interface Replay<Moment> {
  /** moments[k]: after k commands; one more than there are steps. */
  moments: Moment[]
  /** Steps whose observation differs from the log. */
  differences: number[]
}

/** Pixels of the narrowest column of rollouts. */
const LEAST_COLUMN = 118

/** Columns for `count` rollouts side by side: as few rows as fit, and no rollout alone in the last of them. */
export function columnsFor(count: number, width: number): number {
  const most = Math.max(1, Math.min(count, Math.floor(width / LEAST_COLUMN)))
  return Math.ceil(count / Math.ceil(count / most))
}
