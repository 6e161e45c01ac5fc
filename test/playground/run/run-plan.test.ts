import { expect, it } from 'vitest'
import { unmeasuredSentence } from '../../../src/playground/run/run-plan.ts'

const every = (evaluateEvery: number) => ({ evaluateEvery, evaluationTasks: 40 })

it('says what runs do not measure, which is the start as well only if evaluation is off', () => {
  expect(unmeasuredSentence(every(10), 3)).toMatch(/^Only the start .* after iteration 10\.$/u)
  expect(unmeasuredSentence(every(10), 10)).toBeNull()
  expect(unmeasuredSentence(every(0), 40)).toMatch(/^Nothing /u)
  expect(unmeasuredSentence({ evaluateEvery: 10, evaluationTasks: 0 }, 40)).toMatch(/^Nothing /u)
})
