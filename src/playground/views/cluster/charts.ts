/** Charts of cluster runs: those that the release measures, and several runs in one chart. */
import type { GatewayRun } from '../../../cluster/protocol.ts'
import type { RunView } from '../../../runs/fold.ts'
import { charts } from '../../run/curves.ts'
import { seriesPoints } from '../../run/series-points.ts'
import type { Chart, ChartSeries } from '../../kit/charts/series.ts'

/** The usual charts without the empty ones: the release measures less than a run in the tab. */
export function knownCharts(view: RunView): Chart[] {
  const all = charts(view)
  const known = all.filter(({ series }) => series.some(({ points }) => points.length > 0))
  return known.length > 0 ? known : all.slice(0, 1)
}

interface FollowedRun {
  summary: Pick<GatewayRun, 'name' | 'runId'>
  gateway: string
}

/** From short to long. The last tells any two runs apart: a page follows a run of a gateway once. */
const NAMES: readonly ((run: FollowedRun) => string)[] = [
  ({ summary }) => summary.name || summary.runId,
  ({ summary }) => summary.runId,
  ({ summary, gateway }) => `${summary.runId} on ${gateway}`,
]

/** The shortest names of which no two are equal: a gateway gives all unnamed runs of a system the same name. */
export function distinctNames(runs: readonly FollowedRun[]): string[] {
  const choices = NAMES.map((nameOf) => runs.map(nameOf))
  return choices.find((names) => new Set(names).size === names.length) ?? choices.at(-1)!
}

interface NamedRun {
  name: string
  view: RunView
}

const LINES = ['solid', 'dashed', 'dotted'] as const
const HUES = ['policy', 'reward', 'environment', 'ink'] as const
/** Neighbours differ in hue and in line; as three and four have no common divisor, all twelve looks differ. */
const LOOKS: readonly Pick<ChartSeries, 'hue' | 'line'>[] = Array.from(
  { length: LINES.length * HUES.length },
  (_, i) => ({
    hue: HUES[i % HUES.length]!,
    line: LINES[i % LINES.length]!,
  }),
)

/** Training accuracy of several runs; null for fewer than two. A run keeps its look when later ones change. */
export function sideBySide(runs: readonly NamedRun[]): Chart | null {
  if (runs.length < 2) return null
  return {
    id: 'side-by-side',
    title: 'Policy accuracy, side by side',
    unit: 'share',
    about: 'Share of training episodes solved in each iteration, for the open cluster runs and the run in this tab.',
    series: runs.map(({ name, view }, i) => ({
      name,
      ...LOOKS[i % LOOKS.length]!,
      points: seriesPoints(view, 'policy/acc'),
    })),
  }
}
