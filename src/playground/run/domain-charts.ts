/** Accuracy by domain: a chart for each application of a desktop, in a tab and on a cluster; none for worlds without domains. */
import { DOMAIN_ACCURACY, domainEvaluation } from '../../method/domain-accuracy.ts'
import type { RunView } from '../../runs/fold.ts'
import type { RunChart, RunSeries } from './curves.ts'
import { seriesPoints } from './series-points.ts'

const SERIES: readonly (Pick<RunSeries, 'name' | 'hue' | 'line'> & { prefix: string })[] = [
  { name: 'in distribution', hue: 'policy', line: 'solid', prefix: domainEvaluation('id') },
  { name: 'out of distribution', hue: 'policy', line: 'dashed', prefix: domainEvaluation('ood') },
  { name: 'training', hue: 'ink', line: 'dotted', prefix: DOMAIN_ACCURACY },
]

export function domainsOf(view: RunView): string[] {
  const domains = new Set<string>()
  for (const name of view.seriesNames)
    for (const { prefix } of SERIES) if (name.startsWith(prefix)) domains.add(name.slice(prefix.length))
  return [...domains].sort()
}

export function domainCharts(view: RunView): RunChart[] {
  return domainsOf(view).map((domain) => ({
    id: `domain-${domain}`,
    title: `Accuracy in ${domain}`,
    unit: 'share',
    about: `Share of episodes solved in ${domain}: on held-out tasks at the evaluation temperature, and on the training tasks of the iteration.`,
    series: SERIES.flatMap(({ prefix, ...look }) => {
      const metric = prefix + domain
      const points = seriesPoints(view, metric)
      return points.length === 0 ? [] : [{ ...look, points, source: { metric } }]
    }),
  }))
}
