/** The curves of a table as charts, one for each measure: the mean over seeds of each arm. */
import type { ResultsFile } from '../../../results/results-file.ts'
import { capital } from '../../kit/format.ts'
import type { Chart, ChartSeries } from '../../kit/charts/series.ts'

/** Told apart by hue and by line: not everybody sees the hues. */
const LOOKS: readonly Pick<ChartSeries, 'hue' | 'line'>[] = [
  { hue: 'ink', line: 'dotted' },
  { hue: 'policy', line: 'solid' },
  { hue: 'reward', line: 'dashed' },
  { hue: 'environment', line: 'solid' },
  { hue: 'policy', line: 'dashed' },
  { hue: 'reward', line: 'solid' },
]

interface ResultChart {
  chart: Chart
  lastIteration: number
}

export function resultCharts({ curves = [], measures, rows, seeds }: ResultsFile): ResultChart[] {
  return measures.flatMap(({ id, label, unit }): ResultChart[] => {
    const own = curves.filter(({ measure }) => measure === id)
    if (own.length === 0) return []
    const series = own.map(({ row, points }, i): ChartSeries => {
      return {
        name: rows.find((each) => each.id === row)?.label ?? row,
        ...LOOKS[i % LOOKS.length]!,
        points: points.map(({ iteration, mean }) => ({ x: iteration, y: mean })),
      }
    })
    const about = `Mean of ${seeds.length} seeds. The table has the intervals at the end.`
    const lastIteration = Math.max(...own.flatMap(({ points }) => points.map(({ iteration }) => iteration)), 0)
    return [{ chart: { id: `results-${id}`, title: capital(label), unit, about, series }, lastIteration }]
  })
}
