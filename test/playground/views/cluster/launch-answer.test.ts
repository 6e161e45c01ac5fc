import { expect, it } from 'vitest'
import type { LaunchPlan } from '../../../../src/cluster/protocol.ts'
import { LaunchAnswer } from '../../../../src/playground/views/cluster/launch-answer.svelte.ts'

const plan = { yaml: 'lambda: 1' } as LaunchPlan

it('an answer of the launch form is on show only while the form asks for the same', async () => {
  let asked = 'λ = 1'
  const answer = new LaunchAnswer(() => asked)
  await answer.take({ plan })
  expect(answer.plan).toBe(plan)
  asked = 'λ = 2'
  expect(answer.plan).toBeNull()
  asked = 'λ = 1'
  expect(answer.plan).toBe(plan)
  await answer.take(Promise.resolve(null))
  expect(answer.shown).toBeNull()
})

it('an answer that comes after the form has changed is not shown for the changed form', async () => {
  let asked = 'λ = 1'
  const answer = new LaunchAnswer(() => asked)
  const taking = answer.take(Promise.resolve({ plan }))
  asked = 'λ = 2'
  await taking
  expect(answer.plan).toBeNull()
})
