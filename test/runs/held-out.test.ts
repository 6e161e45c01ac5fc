import { describe, expect, it } from 'vitest'
import { heldOutMetric } from '../../src/runs/held-out.ts'

describe('the held-out metric of a run', () => {
  it.each([
    ['eval/id/acc', ['eval/id/acc', 'eval/id/acc_sampled'], 'eval/id/acc'],
    ['eval/id/acc', ['eval/id/acc_sampled'], 'eval/id/acc_sampled'],
    ['eval/id/acc', [], 'eval/id/acc'],
    ['policy/acc', ['policy/acc_sampled'], 'policy/acc'],
  ])('is, for %s of a run with %j, %s', (asked, names, found) => {
    expect(heldOutMetric(asked, (name) => names.includes(name))).toBe(found)
  })
})
