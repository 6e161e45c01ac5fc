/** The stock backends of TensorFlow.js beside ours, which share its registry, and how many threads the wasm one really has. */
import * as tf from '@tensorflow/tfjs-core'
import { getThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { PeerUnavailableError, type StartedBackend } from '../subjects.ts'

export type TfjsBackend = 'wasm' | 'webgpu'

const WASM_THREADS = 2
const STOCK_WEBGPU = 'stock-webgpu'
/** What TensorFlow.js sets for itself. */
const STOCK_COMMANDS_AT_ONCE = 15

export interface TfjsFiles {
  /** Address of the folder that holds its .wasm files; Node finds them by itself. */
  wasmFolder?: string
}

/** Throws PeerUnavailableError. */
export function startTfjs(backend: TfjsBackend, files: TfjsFiles = {}): Promise<StartedBackend> {
  return backend === 'wasm' ? startWasm(files) : startWebGpu()
}

let isConfigured = false

async function startWasm({ wasmFolder }: TfjsFiles): Promise<StartedBackend> {
  if (!isConfigured && wasmFolder !== undefined) setWasmPaths(wasmFolder)
  isConfigured = true
  const use = async (): Promise<void> => {
    if (!(await tf.setBackend('wasm')))
      throw new PeerUnavailableError('TensorFlow.js cannot start its wasm backend here.')
  }
  await withLogicalCores(2 * WASM_THREADS, use)
  const hasThreads = await tf.env().getAsync('WASM_HAS_MULTITHREAD_SUPPORT')
  const threads = hasThreads ? getThreadsCount() : 1
  return { note: `${version()}, ${threads === 1 ? 'one thread' : `${threads} threads`}`, use }
}

/**
 * It takes threads only in a page that is isolated, and half as many as the page says there are cores, whatever `setThreadsCount` asks
 * for. So while it starts, the page says as many as give it the threads that we want it to have.
 */
async function withLogicalCores(cores: number, start: () => Promise<void>): Promise<void> {
  if (!globalThis.crossOriginIsolated) return start()
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: cores, configurable: true })
  try {
    await start()
  } finally {
    // Its own property hides the one that all navigators share.
    Reflect.deleteProperty(navigator, 'hardwareConcurrency')
  }
}

/**
 * Ours takes the place of the stock backend "webgpu" and of some of its kernels, so the stock one is kept under another name. To be
 * called before ours is loaded.
 */
export async function keepStockWebGpu(): Promise<void> {
  if (tf.findBackendFactory(STOCK_WEBGPU)) return
  await import('@tensorflow/tfjs-backend-webgpu')
  const factory = tf.findBackendFactory('webgpu')
  if (!factory) return
  tf.copyRegisteredKernels('webgpu', STOCK_WEBGPU)
  tf.registerBackend(STOCK_WEBGPU, factory)
}

async function startWebGpu(): Promise<StartedBackend> {
  if (!tf.findBackendFactory(STOCK_WEBGPU))
    throw new PeerUnavailableError(
      'TensorFlow.js finds no WebGPU here, or our own backend has taken its place already.',
    )
  const use = async (): Promise<void> => {
    // Ours records more commands before it hands them over, and sets that for all.
    tf.env().set('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE', STOCK_COMMANDS_AT_ONCE)
    if (!(await tf.setBackend(STOCK_WEBGPU)))
      throw new PeerUnavailableError('TensorFlow.js cannot start its WebGPU backend here.')
  }
  await use()
  return { note: version(), use }
}

function version(): string {
  return `stock TensorFlow.js ${tf.version_core}`
}
