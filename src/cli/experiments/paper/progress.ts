/** How far a set of runs is, and the time left. */
import { counted, roughTime } from './words.ts'

export interface RunProgress {
  /** Relative duration of the whole run (jobs.ts). */
  cost: number
  /** In [0, 1]. */
  share: number
  /** Wall-clock seconds spent on it by this command. */
  seconds: number
  state: 'kept' | 'waiting' | 'running' | 'finished' | 'failed'
}

/**
 * The work left, at the pace of the work that this command has done:
 *
 *     seconds left = pace · Σ cost · (1 − share) / at once          pace = Σ seconds / Σ cost · share
 *
 * Null while nothing has been done. The longest run bounds it below: it uses one core only.
 */
export function secondsLeft(runs: readonly RunProgress[], atOnce: number): number | null {
  const worked = runs.filter(({ state, share }) => (state === 'running' || state === 'finished') && share > 0)
  const done = worked.reduce((sum, { cost, share }) => sum + cost * share, 0)
  if (done === 0) return null
  const pace = worked.reduce((sum, { seconds }) => sum + seconds, 0) / done
  const left = runs.flatMap(({ cost, share, state }) =>
    state === 'waiting' || state === 'running' ? [cost * (1 - share)] : [],
  )
  const total = left.reduce((sum, each) => sum + each, 0)
  return pace * Math.max(total / atOnce, ...left, 0)
}

/** "12 of 88 runs, 2 running, about 3 hours left" */
export function progressLine(runs: readonly RunProgress[], atOnce: number): string {
  const count = (...states: RunProgress['state'][]) => runs.filter(({ state }) => states.includes(state)).length
  const left = secondsLeft(runs, atOnce)
  const failed = count('failed')
  return [
    `${count('kept', 'finished')} of ${counted(runs.length, 'run')}`,
    `${count('running')} running`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(left === null ? [] : [`${roughTime(left)} left`]),
  ].join(', ')
}
