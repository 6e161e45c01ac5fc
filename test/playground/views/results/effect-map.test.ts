import { describe, expect, it } from 'vitest'
import { effectPanels } from '../../../../src/playground/views/results/effect-map.ts'
import { madeUpCell } from '../../../results/made-up-results.ts'

const gain = (mean: number, half = 0.02) => ({ mean, low: mean - half, high: mean + half, n: 3 })

describe('the map of effects', () => {
  it('is a grid of start policy by ε for each λ, in order, with gaps where nothing ran', () => {
    const panels = effectPanels(
      [
        madeUpCell({ lambda: 4, voteFlips: 0.2, start: 'strong' }),
        madeUpCell({ lambda: 1, voteFlips: 0.2 }),
        madeUpCell({ lambda: 1, voteFlips: 0 }),
        madeUpCell({ over: 'frozen-judge', voteFlips: 0.4 }),
      ],
      'grpo',
    )
    expect(panels.map(({ lambda, voteFlips }) => [lambda, voteFlips])).toEqual([
      [1, [0, 0.2]],
      [4, [0, 0.2]],
    ])
    expect(
      panels[0]!.rows.map(({ start, startAccuracy, cells }) => [
        start,
        startAccuracy,
        ...cells.map((cell) => cell !== null),
      ]),
    ).toEqual([
      ['strong', null, false, false],
      ['weak', 0.22, true, true],
    ])
  })

  it('colours by the gain, on one scale over all grids and baselines', () => {
    const map = [madeUpCell({ gain: gain(0.1) }), madeUpCell({ over: 'frozen-judge', gain: gain(-0.2) })]
    const strength = (over: 'grpo' | 'frozen-judge') => effectPanels(map, over)[0]!.rows[0]!.cells[0]!.strength
    expect(strength('grpo')).toBeCloseTo(0.5, 12)
    expect(strength('frozen-judge')).toBeCloseTo(-1, 12)
    // Noise around zero stays pale.
    expect(effectPanels([madeUpCell({ gain: gain(0.005) })], 'grpo')[0]!.rows[0]!.cells[0]!.strength).toBeCloseTo(
      0.1,
      12,
    )
  })

  it('says everything about a cell in words', () => {
    const cell = (change: Parameters<typeof madeUpCell>[0]) =>
      effectPanels([madeUpCell(change)], 'grpo')[0]!.rows[0]!.cells[0]!
    expect(cell({ gain: gain(-0.05), collapsed: 2, pleased: 1 })).toMatchObject({
      text: '−5.0',
      label:
        'Start weak, λ = 1, ε = 0: −5.0 points (−7.0 to −3.0) over outcomes alone (GRPO). The judge collapsed in 2 of 3 seeds. The policy pleased the judge in 1 of 3 seeds.',
      isClear: true,
      isCollapsed: true,
      isPleased: false,
    })
    expect(cell({ gain: gain(0.01) }).isClear).toBe(false)
    expect(cell({ gain: null })).toMatchObject({ text: '–', strength: 0, isClear: false })
    expect(cell({ gain: null }).label).toBe('Start weak, λ = 1, ε = 0: nothing was measured.')
  })
})
