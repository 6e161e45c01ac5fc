/** Where the name of a level stands in a chart of functions, so that no curve crosses it. */
import type { Point } from './scale.ts'

/** Bounds of a plot, in pixels; y grows downward. */
interface PlotBounds {
  left: number
  right: number
  top: number
  bottom: number
}

interface LabelPlace extends Point {
  anchor: 'start' | 'end'
}

/** Room for a short name in the text of ticks, in pixels. */
const WIDTH = 36
const HEIGHT = 12
/** Between the name and the level or the plot's end. */
const GAP = 4
/** A distance from the curves, in pixels, over which more makes no place better. */
const CLEAR = 6

/**
 * The baseline of a name at an end of the level, above or below it: the first that is clear of every curve, in the order left above,
 * right above, left below, right below, or else the one that is farthest from them. `curves` are points in pixels, in the order of x.
 */
export function levelLabelPlace(level: number, curves: readonly Point[][], bounds: PlotBounds): LabelPlace {
  const places = [level - GAP, level + GAP + HEIGHT].flatMap((y): LabelPlace[] => [
    { x: bounds.left + GAP, y, anchor: 'start' },
    { x: bounds.right - GAP, y, anchor: 'end' },
  ])
  const fits = places.filter(({ y }) => y - HEIGHT >= bounds.top && y <= bounds.bottom)
  return (fits.length > 0 ? fits : places).reduce((best, place) =>
    clearance(place, curves) > clearance(best, curves) ? place : best,
  )
}

/** The least vertical distance between a name and the curves where it stands, zero if one crosses it; at most `CLEAR`. */
function clearance({ x, y, anchor }: LabelPlace, curves: readonly Point[][]): number {
  const from = anchor === 'start' ? x : x - WIDTH
  const distances = curves.flatMap((points) =>
    points.slice(1).flatMap((end, i) => {
      const start = points[i]!
      if (end.x < from || start.x > from + WIDTH) return []
      const ends = [Math.max(start.x, from), Math.min(end.x, from + WIDTH)].map((at) => heightAt(start, end, at))
      return Math.max(0, y - HEIGHT - Math.max(...ends), Math.min(...ends) - y)
    }),
  )
  return Math.min(CLEAR, ...distances)
}

const heightAt = (start: Point, end: Point, x: number): number =>
  end.x === start.x ? start.y : start.y + ((end.y - start.y) * (x - start.x)) / (end.x - start.x)
