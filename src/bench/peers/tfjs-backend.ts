/** The stock backends of TensorFlow.js beside ours, which share its registry, and how many threads the wasm one really has. */
import * as tf from '@tensorflow/tfjs-core'
import { getThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { PeerUnavailableError, type StartedBackend } from '../subjects.ts'

export type TfjsBackend = 'wasm' | 'webgpu'

const WASM_THREADS = 2
const STOCK_WEBGPU = 'stock-webgpu'
/** TensorFlow.js's default. */
const STOCK_COMMANDS_AT_ONCE = 15

export interface TfjsFiles {
  /** Address of the folder of its .wasm files; Node finds them without. */
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
 * The wasm backend uses threads only in an isolated page, and half as many as the page reports cores; it ignores `setThreadsCount`.
 * So the page reports a number of cores that gives it the wanted threads while it starts.
 */
async function withLogicalCores(cores: number, start: () => Promise<void>): Promise<void> {
  if (!globalThis.crossOriginIsolated) return start()
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: cores, configurable: true })
  try {
    await start()
  } finally {
    // Removes the own property that hides the prototype's.
    Reflect.deleteProperty(navigator, 'hardwareConcurrency')
  }
}

/**
 * Keeps the stock backend "webgpu" under another name, because ours replaces it and some of its kernels. Call it before ours loads.
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
    throw new PeerUnavailableError('TensorFlow.js finds no WebGPU here, or our backend has already replaced its own.')
  const use = async (): Promise<void> => {
    // Ours records more commands before it submits them, and sets this globally.
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
