/**
 * Sends new weights from the trainer to the sampler: only those that training changes, merged as W + s B A.
 *
 *     shared     both use one graphics device, and weights are copied from buffer to buffer
 *     uploaded   weights are read to this thread and written to WebLLM's buffers, one parameter after the other
 *     reloaded   if WebLLM's buffers are inaccessible: WebLLM loads a changed copy of its model
 */
import type { LanguageModel } from '../../language-model/language-model.ts'
import type { WebLlmModel } from './webllm-model.ts'
import type { ChangedParameter } from './weight-places.ts'

export const SYNC_WAYS = ['shared', 'uploaded', 'reloaded'] as const
export type SyncWay = (typeof SYNC_WAYS)[number]

export interface SyncedPair {
  trainer: LanguageModel
  sampler: WebLlmModel
  changed: readonly ChangedParameter[]
}

/** Bytes that one sync sends to the sampler. */
export function syncBytes(changed: readonly ChangedParameter[], way: SyncWay): number {
  return changed
    .flatMap(({ parts }) => (way === 'shared' ? parts.filter(({ isChanged }) => isChanged) : parts))
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

/** If it throws, even the signal's reason, the sampler may have a mix of new and old weights. */
export async function syncWeights(pair: SyncedPair, way: SyncWay, signal?: AbortSignal): Promise<void> {
  switch (way) {
    case 'shared':
      return copyOnDevice(pair, signal)
    case 'uploaded':
      return upload(pair, signal)
    case 'reloaded':
      return reload(pair, signal)
  }
}

async function copyOnDevice({ trainer, sampler, changed }: SyncedPair, signal?: AbortSignal): Promise<void> {
  for (const type of ['float16', 'float32'] as const) {
    const places = new Map(
      changed
        .filter((parameter) => parameter.type === type)
        .flatMap(({ name, parts }) =>
          parts.filter(({ isChanged }) => isChanged).map((part) => [part.name, { name, part }] as const),
        ),
    )
    if (places.size === 0) continue
    await trainer.lendWeights([...places.keys()], type, async (buffer, weight) => {
      signal?.throwIfAborted()
      const { name, part } = places.get(weight)!
      await sampler.copyWeights([{ name, buffer, offset: 0, part }])
    })
  }
}

async function upload({ trainer, sampler, changed }: SyncedPair, signal?: AbortSignal): Promise<void> {
  for (const { parts } of changed) {
    signal?.throwIfAborted()
    await sampler.setWeights(await trainer.readWeights(parts.map(({ name }) => name)))
  }
}

/** All at once, because each change costs a load. */
async function reload({ trainer, sampler, changed }: SyncedPair, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const names = changed.flatMap(({ parts }) => parts.map(({ name }) => name))
  const weights = await trainer.readWeights(names)
  signal?.throwIfAborted()
  await sampler.setWeights(weights)
}
