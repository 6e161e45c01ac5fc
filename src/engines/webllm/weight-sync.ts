/**
 * The ways of new weights from the trainer to the sampler: what training changes alone, as it is computed with (W + s B A).
 *
 *     shared     both compute on one graphics device, and weights are copied from buffer to buffer
 *     uploaded   they come to this thread and go to WebLLM's buffers, one parameter after the other
 *     reloaded   where WebLLM's buffers cannot be reached: a changed copy of its model, which it loads anew
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

/** Bytes that one sync gives to the sampler. */
export function syncBytes(changed: readonly ChangedParameter[], way: SyncWay): number {
  return changed
    .flatMap(({ parts }) => (way === 'shared' ? parts.filter(({ isChanged }) => isChanged) : parts))
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

/** When it throws, the signal's reason too, the sampler may hold some of the new weights and some of the old. */
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

/** All at once, for each time costs a load. */
async function reload({ trainer, sampler, changed }: SyncedPair, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const names = changed.flatMap(({ parts }) => parts.map(({ name }) => name))
  const weights = await trainer.readWeights(names)
  signal?.throwIfAborted()
  await sampler.setWeights(weights)
}
