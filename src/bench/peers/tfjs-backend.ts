/** The stock backends of TensorFlow.js, and how many threads the wasm one really has. */
import * as tf from '@tensorflow/tfjs-core'
import { getThreadsCount, setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { PeerUnavailableError } from '../subjects.ts'

export type TfjsBackend = 'wasm' | 'webgpu'

const WASM_THREADS = 2

export interface TfjsFiles {
  /** Address of the folder that holds its .wasm files; Node finds them by itself. */
  wasmFolder?: string
}

/** Starts a backend; what a reader must know of it. Throws PeerUnavailableError. */
export async function startTfjs(backend: TfjsBackend, { wasmFolder }: TfjsFiles = {}): Promise<string> {
  if (backend === 'webgpu') await import('@tensorflow/tfjs-backend-webgpu')
  else if (!tf.findBackend('wasm')) {
    if (wasmFolder !== undefined) setWasmPaths(wasmFolder)
    // Asked for before it starts; it takes them where memory can be shared and it is not Node.
    setThreadsCount(WASM_THREADS)
  }
  if (!(await tf.setBackend(backend))) throw new PeerUnavailableError(`TensorFlow.js cannot start ${backend} here.`)
  return `stock TensorFlow.js ${tf.version_core}${backend === 'wasm' ? `, ${await wasmThreads()}` : ''}`
}

async function wasmThreads(): Promise<string> {
  const hasThreads = await tf.env().getAsync('WASM_HAS_MULTITHREAD_SUPPORT')
  return hasThreads
    ? `${getThreadsCount()} threads`
    : 'one thread: its threads need a page that is cross-origin isolated'
}
