import { describe, expect, it } from 'vitest'
import { lambdaCurves } from '../../../src/playground/run/lambda-curves.ts'
import { LAMBDA_STOPS } from '../../../src/playground/run/lambda-stops.ts'
import { parseResults } from '../../../src/results/results-file.ts'
import { madeUpLambda } from '../made-up-lambda.ts'

describe('the curves of the sweep of λ', () => {
  it('are one for each stop, in order, with the interval over the seeds', () => {
    const table = parseResults(madeUpLambda())
    const shuffled = { ...table, rows: [...table.rows].reverse() }
    const curves = lambdaCurves(shuffled, 'id', 'household')
    expect(curves.map(({ lambda }) => lambda)).toEqual([...LAMBDA_STOPS])
    for (const { points, band } of curves) {
      expect(points).toHaveLength(9)
      expect(band!.every(({ x, mean, low, high }, i) => x === points[i]!.x && low < mean && mean < high)).toBe(true)
    }
  })

  it('have no band for fewer than three seeds', () => {
    expect(lambdaCurves(madeUpLambda([0, 1]), 'id', 'household').map(({ band }) => band)).toEqual(
      LAMBDA_STOPS.map(() => null),
    )
  })

  it('are none for another world, another measure, and presets that no longer exist', () => {
    expect(lambdaCurves(madeUpLambda(), 'id', 'coding')).toEqual([])
    expect(lambdaCurves(madeUpLambda(), 'ood', 'household')).toEqual([])
    const table = madeUpLambda()
    const old = { ...table, rows: table.rows.map((row) => ({ ...row, preset: 'forgotten' })) }
    expect(lambdaCurves(old, 'id', 'household')).toEqual([])
  })
})
