import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../../../src/method/metrics.ts'
import { METRIC_ALIASES, withAliases } from '../../../../src/runs/metric-aliases.ts'
import type { MetricRow } from '../../../../src/runs/metric-rows.ts'
import { readPattern } from '../../../../src/playground/views/loop/metric-pattern.ts'
import {
  aliasesOf,
  findMetrics,
  metricChart,
  metricNames,
  metricPoints,
  rowNames,
} from '../../../../src/playground/views/loop/metric-search.ts'
import { recordedHousehold } from '../../recorded-household.ts'

const view = recordedHousehold()
const rows = view.iterations.map(({ iteration, metrics }): MetricRow => ({
  iteration,
  firstSeq: 0,
  endSeq: 0,
  isFinished: true,
  values: { ...metrics, 'timing_s/step': 2 * iteration },
}))
const names = metricNames(view, rowNames(rows))
const found = (text: string) => {
  const read = readPattern(text)
  if ('problem' in read) throw new Error(read.problem)
  return findMetrics(names, read.expression)
}

describe('the search for metrics', () => {
  it('knows every series of the log, and those that only the rows have', () => {
    expect(names).toEqual(expect.arrayContaining([...view.seriesNames, 'timing_s/step']))
    expect(names.length).toBeGreaterThan(30)
    expect(names).toEqual([...new Set(names)].sort())
  })

  it('finds by any part of a name and ignores case', () => {
    expect(found('GRAD_norm').map(({ name }) => name)).toEqual(['policy/grad_norm', 'reward/grad_norm'])
    expect(found('^timing_s/').map(({ name }) => name)).toEqual(['timing_s/step'])
    expect(found('policy/(ppo_kl|lr)$').map(({ name }) => name)).toEqual(['policy/lr', 'policy/ppo_kl'])
    expect(found('no such')).toEqual([])
  })

  it('finds by the names of verl, TRL and W&B, and shows which matched', () => {
    expect(found('frac_reward_zero_std').map(({ name }) => name)).toEqual(['policy/frac_reward_zero_std'])
    expect(found('^actor/entropy$')).toMatchObject([
      { name: 'policy/entropy', foundBy: [{ of: 'verl', name: 'actor/entropy' }] },
    ])
    expect(found('^train/learning_rate$')).toMatchObject([{ name: 'policy/lr', foundBy: [{ of: 'TRL in W&B' }] }])
  })

  it('knows all names that exports give a metric', () => {
    for (const name of Object.keys(METRIC_ALIASES)) {
      const exported = Object.keys(withAliases({ [name]: 1 }))
      expect([name, ...aliasesOf(name).map((alias) => alias.name)].sort()).toEqual(exported.sort())
    }
  })

  it('charts a series with its meaning and its other names', () => {
    const [metric] = found('^policy/entropy$')
    const chart = metricChart(view, rows, metric!)
    const own = view.series('policy/entropy')
    expect(chart.series[0]!.points).toEqual(own.iterations.map((x, i) => ({ x, y: own.values[i] })))
    expect(chart.series[0]!.source).toEqual({ metric: 'policy/entropy' })
    expect(chart.about).toBe(`${METRICS['policy/entropy']} verl calls it actor/entropy. TRL calls it entropy.`)
  })

  it('shows no computing times beyond the iteration on show', () => {
    const last = rows.length
    expect(metricPoints(view, rows, 'timing_s/step').at(-1)).toEqual({ x: last, y: 2 * last })
    expect(metricPoints(view.at(2), rows, 'timing_s/step').at(-1)).toEqual({ x: 2, y: 4 })
  })
})

describe('an expression', () => {
  const problem = (text: string) => {
    const read = readPattern(text)
    return 'problem' in read ? read.problem : ''
  }

  it('that cannot be read gives the reason and what to do', () => {
    expect(problem('policy/(')).toMatch(
      /^“policy\/\(” is not a regular expression: unterminated group\. To search for “\(” itself/,
    )
    expect(problem('*')).toMatch(/nothing to repeat\. To search for “\*” itself, write “\\\*”\.$/)
    expect(problem('[z-a]')).toMatch(/out of order/)
    expect(problem('a\\')).toMatch(/A backslash needs a character after it/)
  })

  it('that repeats a repetition is refused before it blocks the page', () => {
    for (const text of ['(a+)+', '(\\w|\\w)+!', '((a)*b)*', '(.*){9}', '(?:x|(y+))*z', '((a|b))+'])
      expect(problem(text), text).toMatch(/can take forever/)
    for (const text of ['(policy|reward)/.*kl', '(ab)+', 'a{2}b*', '\\(a+\\)+', '[(+]+', '(a|b)?', '(a+)b+'])
      expect(problem(text), text).toBe('')
  })

  it('is either read or explained, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'()[]{}*+?|\\^$.a1,-') }), (text) => {
        const read = readPattern(text)
        if ('problem' in read) expect(read.problem.length).toBeGreaterThan(20)
        else for (const name of names) read.expression.test(name)
      }),
      { numRuns: 2000 },
    )
  })
})
