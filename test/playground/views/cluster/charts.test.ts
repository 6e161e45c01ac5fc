import { describe, expect, it } from 'vitest'
import { isLogged } from '../../../../src/method/events.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { distinctNames, knownCharts, sideBySide } from '../../../../src/playground/views/cluster/charts.ts'
import { fakeRun } from '../../fake-run.ts'

describe('charts of cluster runs', () => {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)

  it('leave out empty ones', () => {
    const view = foldRun(
      events.map((event) =>
        event.type === 'iteration-finished' ? { ...event, metrics: { 'policy/acc': 0.5 } } : event,
      ),
    )
    const ids = knownCharts(view).map(({ id }) => id)
    expect(ids).toContain('accuracy')
    expect(ids).not.toContain('reward')
    expect(ids).not.toContain('entropy')
    expect(knownCharts(foldRun([])).map(({ id }) => id)).toEqual(['accuracy'])
  })

  it('name runs apart: a gateway names all unnamed ones alike, and may have two addresses', () => {
    const run = (name: string, runId: string, gateway = 'a') => ({ summary: { name, runId }, gateway })
    expect(distinctNames([run('one', 'one_ab'), run('', 'two_cd')])).toEqual(['one', 'two_cd'])
    const unnamed = [run('coding_rl', 'coding_rl_ab'), run('coding_rl', 'coding_rl_cd')]
    expect(distinctNames(unnamed)).toEqual(['coding_rl_ab', 'coding_rl_cd'])
    // Each alone would do, but not together.
    expect(distinctNames([...unnamed, run('coding_rl_cd', 'coding_rl_cd_ef')])).toEqual([
      'coding_rl_ab',
      'coding_rl_cd',
      'coding_rl_cd_ef',
    ])
    expect(distinctNames([run('one', 'one_ab'), run('one', 'one_ab', 'b')])).toEqual(['one_ab on a', 'one_ab on b'])
  })

  it('show several runs side by side, each with its own look', () => {
    const view = foldRun(events)
    expect(sideBySide([{ name: 'one', view }])).toBeNull()
    const chart = sideBySide(Array.from({ length: 12 }, (_, i) => ({ name: `run ${i}`, view })))
    expect(new Set(chart?.series.map(({ hue, line }) => `${hue} ${line}`)).size).toBe(12)
    expect(chart?.series[0]?.points.map(({ x }) => x)).toEqual([1, 2, 3])
  })
})
