import { expect, it } from 'vitest'
import { gainWords } from '../../../src/playground/run/held-out-gain.ts'
import { pairedGain } from '../../../src/results/paired-gain.ts'

it('writes the gain on held-out tasks in points with its interval', () => {
  const { low, high } = pairedGain(20, 5, 200)!
  expect(gainWords({ better: 20, worse: 5, tasks: 200 })).toBe(
    `+7.5 points (95\u00a0%: +${(100 * low).toFixed(1)} to +${(100 * high).toFixed(1)})`,
  )
  expect(gainWords({ better: 2, worse: 6, tasks: 40 })).toMatch(
    /^−10\.0 points \(95\u00a0%: −\d+\.\d to [+−]\d+\.\d\)$/,
  )
})

it('says nothing without tasks', () => {
  expect(gainWords({ better: 0, worse: 0, tasks: 0 })).toBeNull()
})
