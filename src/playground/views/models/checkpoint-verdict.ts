/** Whether a checkpoint fits, in words, and what of a role's form would change so that it does. */
import type { CheckpointOutlook, PlacedVerdict } from '../../../engines/transformer/checkpoint-outlook.ts'
import type { CheckpointUse } from '../../../engines/transformer/memory.ts'
import { modelSize, type RoleForm } from '../../run/role-models.ts'

const STORED: Record<CheckpointUse['storage'], string> = {
  float32: 'weights in float32',
  float16: 'weights in half precision',
  'four-bit': 'weights in four bits',
}

/** How a form has its checkpoint held. */
export function useOf(form: RoleForm, isTrained: boolean): CheckpointUse {
  const { rank, alpha, dropout, targets, storage, contextWindow } = form
  return {
    adapters: form.hasAdapters ? { rank, alpha, dropout, targets } : null,
    storage,
    contextWindow: contextWindow === 0 ? null : contextWindow,
    isTrained,
  }
}

export function verdictSentence({ name }: CheckpointOutlook, verdict: PlacedVerdict): string {
  const { estimate, limitBytes, tooLarge, fits } = verdict
  const parts = (['weights', 'learning', 'cache', 'activations'] as const)
    .filter((part) => estimate[part] > 0)
    .map((part) => `${part} ${modelSize(estimate[part])}`)
  const takes = `Takes about ${modelSize(estimate.total)} of memory (${parts.join(', ')})`
  if (fits) return `${takes}; there are ${modelSize(limitBytes)}.`
  const why =
    tooLarge === null
      ? `${takes}, and there are ${modelSize(limitBytes)}.`
      : `${name} has a tensor of ${modelSize(tooLarge)}, more than this graphics adapter takes as one.`
  return verdict.change === null ? `${why} Choose a smaller model, or another backend.` : why
}

/** "a context of 1024 tokens and weights in half precision" */
export function changeInWords(use: CheckpointUse, change: CheckpointUse): string {
  return [
    ...(change.contextWindow === use.contextWindow ? [] : [`a context of ${change.contextWindow} tokens`]),
    ...(change.storage === use.storage ? [] : [STORED[change.storage]]),
    ...(change.adapters === use.adapters ? [] : ['adapters trained in place of all weights']),
  ].join(' and ')
}

export function fieldsOf({ adapters, storage, contextWindow }: CheckpointUse): Partial<RoleForm> {
  return {
    storage,
    contextWindow: contextWindow ?? 0,
    hasAdapters: adapters !== null,
    ...(adapters && { ...adapters, targets: [...adapters.targets] }),
  }
}
