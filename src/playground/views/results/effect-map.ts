/**
 * The map of effects as small multiples: one grid for each λ, rows for start policies, columns for ε. The colour of a cell is the
 * gain of the full loop, on one scale for all grids.
 */
import { hasMark, isClearGain, mapGrids, MARK_WORDS } from '../../../results/map-grids.ts'
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

interface EffectPanel {
  lambda: number
  voteFlips: number[]
  rows: { start: string; startAccuracy: number | null; cells: (EffectCell | null)[] }[]
}

/** Points that are full colour at least, so that noise around zero stays pale. */
const LEAST_SCALE = 0.05

export function effectPanels(map: readonly MapCell[], over: Baseline): EffectPanel[] {
  const scale = Math.max(LEAST_SCALE, ...map.map(({ gain }) => Math.abs(gain?.mean ?? 0)))
  return mapGrids(map, over).map(({ rows, ...grid }) => ({
    ...grid,
    rows: rows.map(({ cells, ...row }) => ({ ...row, cells: cells.map((cell) => cell && effectCell(cell, scale)) })),
  }))
}

/** What the marks mean that are in any of the panels, which is nothing where none is. */
export function markWords(panels: readonly EffectPanel[]): string {
  const cells = panels.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.filter((cell) => cell !== null)))
  const words = [
    ...(cells.some(({ isCollapsed }) => isCollapsed) ? [MARK_WORDS.collapsed] : []),
    ...(cells.some(({ isPleased }) => isPleased) ? [MARK_WORDS.pleased] : []),
  ]
  return words.length === 0 ? '' : `Marks that at least half of the seeds have: ${words.join('; ')}.`
}

function effectCell(cell: MapCell, scale: number): EffectCell {
  const { gain, collapsed, pleased, seeds, start, lambda, voteFlips, over } = cell
  const where = `Start ${start}, λ = ${lambda}, ε = ${voteFlips}`
  const marks = [
    ...(collapsed > 0 ? [`The judge collapsed in ${collapsed} of ${seeds} seeds.`] : []),
    ...(pleased > 0 ? [`The policy pleased the judge in ${pleased} of ${seeds} seeds.`] : []),
  ]
  const found = gain === null ? 'nothing was measured' : `${writeDifference(gain, 'share')} over ${BASELINES[over]}`
  return {
    cell,
    text: gain === null ? '–' : signed(100 * gain.mean, 1),
    label: [`${where}: ${found}.`, ...marks].join(' '),
    strength: gain === null ? 0 : gain.mean / scale,
    isClear: isClearGain(cell),
    isCollapsed: hasMark(cell, 'collapsed'),
    isPleased: hasMark(cell, 'pleased'),
  }
}
