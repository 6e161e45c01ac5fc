/** What each λ led to: the curves of the published sweep of λ, over iterations, with the interval over its seeds. */
import { presetSettings } from '../../method/presets.ts'
import { SettingsError, type World } from '../../method/settings.ts'
import type { ResultsFile, ResultsRow } from '../../results/results-file.ts'
import type { Interval } from '../kit/charts/series.ts'

export interface LambdaCurve {
  lambda: number
  /** Means over seeds, in order. */
  points: { x: number; y: number }[]
  /** 95 % intervals; null for fewer than three seeds, whose interval says nothing. */
  band: Interval[] | null
}

const FEWEST_SEEDS = 3

/** In order of λ. Empty if the table is of another world or has no curves of the measure. */
export function lambdaCurves({ rows, curves = [] }: ResultsFile, measure: string, world: World): LambdaCurve[] {
  return rows
    .flatMap((row): LambdaCurve[] => {
      const curve = curves.find((each) => each.row === row.id && each.measure === measure)
      const lambda = row.settings['lambda']
      if (curve === undefined || typeof lambda !== 'number' || worldOf(row) !== world) return []
      const band = curve.points.flatMap(({ iteration: x, mean, low, high, n }): Interval[] =>
        low === null || high === null || n < FEWEST_SEEDS ? [] : [{ x, mean, low, high }],
      )
      return [
        {
          lambda,
          points: curve.points.map(({ iteration, mean }) => ({ x: iteration, y: mean })),
          band: band.length === curve.points.length && band.length > 0 ? band : null,
        },
      ]
    })
    .sort((a, b) => a.lambda - b.lambda)
}

/** Null for a preset that this version of the page does not know. */
function worldOf({ preset }: ResultsRow): World | null {
  try {
    return presetSettings(preset).world
  } catch (error) {
    if (error instanceof SettingsError) return null
    throw error
  }
}
