/** Charts of the pool over a run: accepted rewrites, drift, and the mix of kinds. */
import { WORLDS } from '../../../worlds/index.ts'
import type { Chart, ChartSeries } from '../../kit/charts/series.ts'
import type { DriftRow, DriftRows } from './drift-history.ts'
import { percent } from '../../kit/format.ts'
import { DRIFTED_MIX, DRIFTED_WORDS, hasDrifted } from '../../run/task-drift.ts'
import type { World } from '../../../method/settings.ts'

export function driftCharts({ rows }: DriftRows, world: World): Chart[] {
  const points = (pick: (row: DriftRow) => number) => rows.map((row) => ({ x: row.iteration, y: pick(row) }))
  const series = (name: string, line: ChartSeries['line'], pick: (row: DriftRow) => number): ChartSeries => ({
    name,
    hue: line === 'dotted' ? 'ink' : 'environment',
    line,
    points: points(pick),
  })
  const tasks = `${WORLDS[world].nouns.task}s`
  return [
    {
      id: 'accepted',
      title: `Accepted ${tasks}`,
      unit: 'count',
      about:
        'Rewrites that the acceptance rule has let in so far, by what they were to be, and all that were proposed.',
      series: [
        series('harder', 'solid', ({ harder }) => harder),
        series('easier', 'dashed', ({ easier }) => easier),
        series('proposed', 'dotted', ({ proposed }) => proposed),
      ],
    },
    {
      id: 'drift-mix',
      title: 'Drift of the kinds',
      unit: 'share',
      about: `Total variation between the kinds of the pool now and of the original pool: half the sum of |share now − share then|. The alarm rings above ${percent(DRIFTED_MIX)}.`,
      reference: { value: DRIFTED_MIX, name: 'alarm' },
      series: [series('total variation', 'solid', ({ mix }) => mix)],
    },
    {
      id: 'drift-words',
      title: 'Drift of the words',
      unit: 'share',
      about: `Measured on the words of the ${tasks}, not on their meaning. Solid: mean Jaccard distance, 1 − shared words / all words, between a rewritten ${tasks.slice(0, -1)} and its original (Jaccard, 1912); the alarm rings above ${percent(DRIFTED_WORDS)}. Dashed: Jensen–Shannon divergence, in bits, between the words of the pool now and as it was drawn (Lin, 1991); 100 % is no word in common.`,
      reference: { value: DRIFTED_WORDS, name: 'alarm' },
      series: [
        series('of the rewritten', 'solid', ({ words }) => words),
        series('of the pool', 'dashed', ({ divergence }) => divergence),
      ],
    },
  ]
}

export interface KindBand {
  name: string
  /** Shares of the pool at the start and after the last row. */
  then: number
  now: number
  /** Share of the pool after the last row that is of this kind and rewritten. */
  rewritten: number
  /** For every row, where the band starts and ends in the stack, and where its rewritten part ends. */
  stack: { iteration: number; from: number; rewrittenTo: number; to: number }[]
}

export const OTHER_KINDS = 'other kinds'

/** Kinds as stacked bands, the largest first. Kinds beyond `most` share a band. */
export function kindBands({ rows, kinds }: DriftRows, most = 7): KindBand[] {
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last) return []
  const size = (index: number) => Math.max(first.counts[index]?.then ?? 0, last.counts[index]?.now ?? 0)
  const order = kinds.map((_, index) => index).sort((a, b) => size(b) - size(a) || a - b)
  const kept = order.length <= most ? order : order.slice(0, most - 1)
  const groups = kept.map((index) => ({ name: kinds[index]!, of: [index] }))
  if (kept.length < order.length) groups.push({ name: OTHER_KINDS, of: order.slice(kept.length) })
  const drawn = Math.max(1, first.active)
  const share = (row: DriftRow, of: readonly number[], pick: 'now' | 'rewritten') =>
    of.reduce((sum, index) => sum + (row.counts[index]?.[pick] ?? 0), 0) / Math.max(1, row.active)
  const heights = rows.map(() => 0)
  return groups.map(({ name, of }) => ({
    name,
    then: of.reduce((sum, index) => sum + (first.counts[index]?.then ?? 0), 0) / drawn,
    now: share(last, of, 'now'),
    rewritten: share(last, of, 'rewritten'),
    stack: rows.map((row, r) => {
      const from = heights[r]!
      const to = (heights[r] = from + share(row, of, 'now'))
      return { iteration: row.iteration, from, rewrittenTo: from + share(row, of, 'rewritten'), to }
    }),
  }))
}

/** Describes how far the pool has drifted, by the rule of the alarm. */
export function driftSentence({ rows }: DriftRows, world: World): string {
  const last = rows.at(-1)
  if (!last) return 'No pool has been drawn yet.'
  const share = percent(last.rewritten / Math.max(1, last.active), 1)
  if (last.rewritten === 0) return `After iteration ${last.iteration}, the pool is unchanged.`
  const kinds = last.mix === 0 ? 'its kinds are unchanged' : `its kinds have moved by ${percent(last.mix, 1)}`
  const alarm = hasDrifted(last) ? ' The drift alarm rings.' : ''
  const noun = WORLDS[world].nouns.task
  return `After iteration ${last.iteration}, ${share} of the pool is rewritten, ${kinds}, and a rewritten ${noun} is ${percent(last.words)} away from the words of its original.${alarm}`
}
