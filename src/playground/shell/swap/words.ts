/** What swapping a model says. */
import { ROLE_TITLES, type Role } from '../../run/role-models.ts'
import type { Swap } from '../../state/model-swaps.svelte.ts'

/** Whose model it is, in the middle of a sentence. */
export const MODEL_OF: Readonly<Record<Role, string>> = {
  policy: 'the policy’s model',
  reward: 'the reward model',
  author: 'the author of rewrites',
}

/** What became of a swap, or will. */
export function swapSentence(role: Role, { model, iteration, result }: Swap): string {
  if (result === 'waiting') return `From iteration ${iteration}: ${model}. It is loaded when this iteration ends.`
  if (result.state === 'swapped') return `${ROLE_TITLES[role]}: ${model} plays in the run.`
  if (result.state === 'kept') return `The run keeps its model. ${result.why}`
  return 'The run ended before the swap.'
}
