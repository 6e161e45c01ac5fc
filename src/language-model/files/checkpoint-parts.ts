/**
 * A checkpoint (checkpoint.ts) in two parts: the weights, which other programs read from a model folder, and the rest, which only
 * a resumed run needs: the optimiser's moments, adapters that are merged in the folder, a place on a server.
 *
 *     checkpoint = rest + the folder's weights     metadata of the rest: weights "model.safetensors"
 *     checkpoint = rest                            where the folder does not hold the checkpoint's weights
 */
import { readSafetensors, SafetensorsError, writeSafetensors } from './safetensors.ts'

export const WEIGHTS_FILE = 'model.safetensors'
const KEPT_IN = 'weights'

/** The checkpoint of a model with the weights of its source. */
export function unchangedCheckpoint(): Uint8Array<ArrayBuffer> {
  return writeSafetensors({ metadata: { format: 'pt', weights: 'as in the source' }, tensors: new Map() })
}

/** The part of a checkpoint that is not in `weights`, a folder's model.safetensors. Throws SafetensorsError. */
export function checkpointRest(checkpoint: Uint8Array, weights: Uint8Array): Uint8Array {
  const { metadata, tensors } = readSafetensors(checkpoint, 'checkpoint')
  const inFolder = readSafetensors(weights, WEIGHTS_FILE).tensors
  const rest = new Map([...tensors].filter(([name]) => !inFolder.has(name)))
  // A server's checkpoint is a place, and a frozen model's is empty: nothing of either is in the folder.
  if (rest.size === tensors.size) return checkpoint
  return writeSafetensors({ metadata: { ...metadata, [KEPT_IN]: WEIGHTS_FILE }, tensors: rest })
}

/** The whole checkpoint again. `readWeights` is called only if its weights are in the folder. Throws SafetensorsError. */
export async function wholeCheckpoint(
  rest: Uint8Array,
  source: string,
  readWeights: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  // Servers that only sample have nothing to keep.
  if (rest.length === 0) return rest
  const { metadata, tensors } = readSafetensors(rest, source)
  if (metadata[KEPT_IN] !== WEIGHTS_FILE) return rest
  const weights = readSafetensors(await readWeights(), WEIGHTS_FILE).tensors
  for (const [name, tensor] of weights) {
    if (tensors.has(name))
      throw new SafetensorsError(
        `"${source}" and ${WEIGHTS_FILE} both contain ${name}: they belong to different checkpoints. Save the run again.`,
      )
    tensors.set(name, tensor)
  }
  const { [KEPT_IN]: _, ...own } = metadata
  return writeSafetensors({ metadata: own, tensors })
}
