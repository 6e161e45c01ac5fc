/** Charts of cluster runs: accuracy by domain, and several runs in one chart. */
import { DOMAIN_ACCURACY, DOMAIN_EVALUATION_ACCURACY } from '../../../cluster/protocol.ts'
import type { RunView } from '../../../runs/fold.ts'
import type { Point } from '../../kit/charts/scale.ts'
import { charts } from '../../run/curves.ts'
import type { Chart, ChartSeries } from '../../kit/charts/series.ts'

function pointsOf(view: RunView, name: string): Point[] {
  const { iterations, values } = view.series(name)
  return iterations.map((x, i) => ({ x, y: values[i]! }))
}

/** The usual charts without the empty ones: the release measures less than a run in the tab. */
export function knownCharts(view: RunView): Chart[] {
  const all = charts(view)
  const known = all.filter(({ series }) => series.some(({ points }) => points.length > 0))
  return known.length > 0 ? known : all.slice(0, 1)
}

export function domainsOf(view: RunView): string[] {
  const domains = new Set<string>()
  for (const name of view.seriesNames)
    for (const prefix of [DOMAIN_ACCURACY, DOMAIN_EVALUATION_ACCURACY])
      if (name.startsWith(prefix)) domains.add(name.slice(prefix.length))
  return [...domains].sort()
}

/** One chart for each domain of OSWorld; none for other systems. */
export function domainCharts(view: RunView): Chart[] {
  return domainsOf(view).map((domain) => ({
    id: `domain-${domain}`,
    title: domain,
    unit: 'share',
    about: `Share of solved episodes in ${domain}, in training and in evaluations.`,
    series: [
      {
        name: 'evaluation',
        hue: 'policy',
        line: 'solid',
        points: pointsOf(view, DOMAIN_EVALUATION_ACCURACY + domain),
      },
      { name: 'training', hue: 'ink', line: 'dotted', points: pointsOf(view, DOMAIN_ACCURACY + domain) },
    ],
  }))
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
      points: pointsOf(view, 'policy/acc'),
    })),
  }
}
