/** The x axis of a chart: iterations, or the rollouts, environment steps or seconds that a run took up to each of them. */
import { compact, decimal } from '../format.ts'

export const AXES = {
  iteration: 'Iteration',
  rollouts: 'Rollouts',
  steps: 'Environment steps',
  seconds: 'Computing time',
} as const
export type AxisName = keyof typeof AXES

export interface Axis {
  name: AxisName
  /** Null where the place of the iteration is unknown. */
  of(iteration: number): number | null
  /** The nearest iteration. */
  iterationAt(x: number): number
  /** Where the axis ends. */
  last: number
  write(x: number): string
}

export function iterationAxis(lastIteration: number): Axis {
  return {
    name: 'iteration',
    of: (iteration) => iteration,
    iterationAt: Math.round,
    last: Math.max(2, lastIteration),
    write: String,
  }
}

/** An axis of a quantity that grows: `at[i]` at iteration `iterations[i]`, in order, and 0 before the first. */
export function growingAxis(
  name: Exclude<AxisName, 'iteration'>,
  iterations: readonly number[],
  at: readonly number[],
): Axis {
  const places = new Map<number, number>([
    [0, 0],
    ...iterations.map((iteration, i): [number, number] => [iteration, at[i]!]),
  ])
  const known = [...places]
  return {
    name,
    of: (iteration) => places.get(iteration) ?? null,
    iterationAt(x) {
      let nearest = known[0]!
      for (const place of known) if (Math.abs(place[1] - x) < Math.abs(nearest[1] - x)) nearest = place
      return nearest[0]
    },
    last: Math.max(1e-9, ...at),
    write: name === 'seconds' ? duration : compact,
  }
}

function duration(seconds: number): string {
  if (seconds < 120) return `${compact(seconds)} s`
  return seconds < 7200 ? `${decimal(seconds / 60, 1)} min` : `${decimal(seconds / 3600, 1)} h`
}
