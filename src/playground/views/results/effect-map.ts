/**
 * The map of effects as small multiples: one grid for each λ, rows for start policies, columns for ε. The colour of a cell is the
 * gain of the full loop, on one scale for all grids.
 */
import type { MapCell } from '../../../results/results-file.ts'
import { signed } from '../../kit/format.ts'
import { writeDifference } from './result-table.ts'

export type Baseline = MapCell['over']

export const BASELINES: Readonly<Record<Baseline, string>> = {
  grpo: 'outcomes alone (GRPO)',
  'frozen-judge': 'a frozen judge',
}

export interface EffectCell {
  cell: MapCell
  /** "+4.2", in points. */
  text: string
  /** Everything about it, in a sentence. */
  label: string
  /** Gain over the largest gain of the map, in [-1, 1]. */
  strength: number
  /** Whether its interval excludes zero. */
  isClear: boolean
  isCollapsed: boolean
  isPleased: boolean
}

export interface EffectPanel {
  lambda: number
  voteFlips: number[]
  rows: { start: string; cells: (EffectCell | null)[] }[]
}

/** Points that are full colour at least, so that noise around zero stays pale. */
const LEAST_SCALE = 0.05

export function effectPanels(map: readonly MapCell[], over: Baseline): EffectPanel[] {
  const shown = map.filter((cell) => cell.over === over)
  const scale = Math.max(LEAST_SCALE, ...map.map(({ gain }) => Math.abs(gain?.mean ?? 0)))
  const starts = distinct(shown.map(({ start }) => start))
  const flips = distinct(shown.map(({ voteFlips }) => voteFlips)).sort((a, b) => a - b)
  return distinct(shown.map(({ lambda }) => lambda))
    .sort((a, b) => a - b)
    .map((lambda) => ({
      lambda,
      voteFlips: flips,
      rows: starts.map((start) => ({
        start,
        cells: flips.map((voteFlips) => {
          const isHere = (cell: MapCell) =>
            cell.lambda === lambda && cell.start === start && cell.voteFlips === voteFlips
          const cell = shown.find(isHere)
          return cell ? effectCell(cell, scale) : null
        }),
      })),
    }))
}

function effectCell(cell: MapCell, scale: number): EffectCell {
  const { gain, collapsed, pleased, seeds, start, lambda, voteFlips, over } = cell
  const where = `Start ${start}, λ = ${lambda}, ε = ${voteFlips}`
  const marks = [
    ...(collapsed > 0 ? [`The judge collapsed in ${collapsed} of ${seeds} seeds.`] : []),
    ...(pleased > 0 ? [`The policy pleased the judge in ${pleased} of ${seeds} seeds.`] : []),
  ]
  const found = gain === null ? 'nothing was measured' : `${writeDifference(gain, 'share')} over ${BASELINES[over]}`
  const bounds = gain === null || gain.low === null || gain.high === null ? null : { low: gain.low, high: gain.high }
  return {
    cell,
    text: gain === null ? '–' : signed(100 * gain.mean, 1),
    label: [`${where}: ${found}.`, ...marks].join(' '),
    strength: gain === null ? 0 : gain.mean / scale,
    isClear: bounds !== null && (bounds.low > 0 || bounds.high < 0),
    // One seed of several may be chance.
    isCollapsed: 2 * collapsed >= seeds && collapsed > 0,
    isPleased: 2 * pleased >= seeds && pleased > 0,
  }
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}
