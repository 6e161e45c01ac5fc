/** What curves are drawn over: iterations, environment steps or seconds, which are where an iteration stands in its run. */
import type { MetricRow } from '../../../runs/metric-rows.ts'
import { compact, decimal } from '../format.ts'

export const AXES = {
  iteration: 'Iteration',
  steps: 'Environment steps',
  seconds: 'Computing time',
} as const
export type AxisName = keyof typeof AXES

export interface Axis {
  name: AxisName
  /** Null where it is not known. */
  of(iteration: number): number | null
  /** The iteration that stands nearest. */
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

/** Over a quantity that grows with the iterations: `at[i]` of iteration `iterations[i]`, in order; 0 before the first. */
export function growingAxis(name: 'steps' | 'seconds', iterations: readonly number[], at: readonly number[]): Axis {
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
    write: name === 'steps' ? compact : duration,
  }
}

/** The axis of a run from its rows. */
export function rowsAxis(name: AxisName, rows: readonly MetricRow[]): Axis {
  if (name === 'iteration') return iterationAxis(rows.at(-1)?.iteration ?? 0)
  let seconds = 0
  const own = rows.filter(({ iteration }) => iteration > 0)
  const at = own.map(({ values }) =>
    name === 'steps' ? (values['training/env_steps'] ?? 0) : (seconds += values['timing_s/step'] ?? 0),
  )
  return growingAxis(
    name,
    own.map(({ iteration }) => iteration),
    at,
  )
}

function duration(seconds: number): string {
  if (seconds < 120) return `${compact(seconds)} s`
  return seconds < 7200 ? `${decimal(seconds / 60, 1)} min` : `${decimal(seconds / 3600, 1)} h`
}
