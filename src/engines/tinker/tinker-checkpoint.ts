/**
 * A checkpoint of a model on a server: a safetensors file without tensors that names where the server keeps weights and optimiser
 * state. Valid as long as the server keeps them.
 */
import * as v from 'valibot'
import { readSafetensors, writeSafetensors } from '../../language-model/files/safetensors.ts'
import { RemoteError } from '../remote/remote-error.ts'

const Checkpoint = v.object({
  format: v.literal('tinker'),
  baseModel: v.string(),
  rank: v.pipe(v.string(), v.transform(Number), v.integer()),
  path: v.pipe(v.string(), v.startsWith('tinker://')),
})

export interface TinkerCheckpoint {
  baseModel: string
  rank: number
  /** tinker://MODEL/weights/NAME */
  path: string
}

export function writeTinkerCheckpoint({ baseModel, rank, path }: TinkerCheckpoint): Uint8Array {
  return writeSafetensors({ metadata: { format: 'tinker', baseModel, rank: String(rank), path }, tensors: new Map() })
}

/** Throws RemoteError for a checkpoint of another kind, base model or rank. */
export function readTinkerCheckpoint(
  bytes: Uint8Array,
  expected: { baseModel: string; rank: number },
): TinkerCheckpoint {
  let metadata: unknown
  try {
    metadata = readSafetensors(bytes, 'checkpoint').metadata
  } catch (cause) {
    throw unfit('It cannot be read', cause)
  }
  const read = v.safeParse(Checkpoint, metadata)
  if (!read.success) throw unfit('It belongs to a model that was not on a Tinker server')
  const { baseModel, rank, path } = read.output
  if (baseModel !== expected.baseModel || rank !== expected.rank)
    throw unfit(
      `Its adapters have rank ${rank} on ${baseModel}, and the run’s have rank ${expected.rank} on ${expected.baseModel}`,
    )
  return { baseModel, rank, path }
}

function unfit(why: string, cause?: unknown): RemoteError {
  return new RemoteError(
    'refused',
    {
      what: 'The checkpoint does not fit the model on the server.',
      why: `${why}.`,
      remedy: 'Resume with the models that the run started with.',
    },
    { cause },
  )
}
