/** A metric of a run as points over iterations. */
import type { RunView } from '../../runs/fold.ts'
import type { Point } from '../kit/charts/scale.ts'

export function seriesPoints(view: RunView, name: string): Point[] {
  const { iterations, values } = view.series(name)
  return iterations.map((x, i) => ({ x, y: values[i]! }))
}
