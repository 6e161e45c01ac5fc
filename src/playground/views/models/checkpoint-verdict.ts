/** Whether a checkpoint fits, in words, and the change of the form that makes it fit. */
import type { CheckpointOutlook, PlacedVerdict } from '../../../engines/transformer/checkpoint-outlook.ts'
import type { CheckpointUse } from '../../../engines/transformer/memory.ts'
import { modelSize, type RoleForm } from '../../run/role-models.ts'

const STORED: Record<CheckpointUse['storage'], string> = {
  float32: 'weights in float32',
  float16: 'weights in half precision',
  'four-bit': 'weights in four bits',
}

/** How the form uses its checkpoint. */
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
  const needs = `Needs about ${modelSize(estimate.total)} of memory (${parts.join(', ')})`
  if (fits) return `${needs} of ${modelSize(limitBytes)}.`
  const why =
    tooLarge === null
      ? `${needs}, more than the available ${modelSize(limitBytes)}.`
      : `${name} has a tensor of ${modelSize(tooLarge)}, too large for one buffer of your graphics adapter.`
  return verdict.change === null ? `${why} Choose a smaller model, or another backend.` : why
}

/** "a context of 1024 tokens and weights in half precision" */
export function changeInWords(use: CheckpointUse, change: CheckpointUse): string {
  return [
    ...(change.contextWindow === use.contextWindow ? [] : [`a context of ${change.contextWindow} tokens`]),
    ...(change.storage === use.storage ? [] : [STORED[change.storage]]),
    ...(change.adapters === use.adapters ? [] : ['adapters instead of all weights']),
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
