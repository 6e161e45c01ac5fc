import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import type { FourBitBlocks, WeightStorage } from '../weights/weight-storage.ts'
import { DeviceWatch } from './device-watch.ts'
import { hasRelaxedSimd, hasSimd } from './simd/kernel-module.ts'
import type { GpuBackend } from './webgpu/gpu-backend.ts'
import { registerSimdBackend } from './simd/register.ts'
import type { SimdBackend } from './simd/simd-backend.ts'

export const BACKENDS = ['cpu', 'webgpu'] as const
export type BackendName = (typeof BACKENDS)[number]

export interface SelectedBackend {
  name: BackendName
  /** For people: what computes, e.g. "WebAssembly, relaxed SIMD, one thread". */
  description: string
}

/** A backend cannot run here; `backend` says which, the message what to do, the cause why. */
export class BackendUnavailableError extends Error {
  override name = 'BackendUnavailableError'
  readonly backend: BackendName

  constructor(backend: BackendName, message: string, options?: ErrorOptions) {
    super(message, options)
    this.backend = backend
  }
}

/** Makes our backends known to TensorFlow.js without starting any. */
export function registerBackends(): void {
  registerSimdBackend()
}

/**
 * Starts a backend and makes it the current one: `cpu` is our WebAssembly SIMD backend, `webgpu` that of TensorFlow.js.
 * @throws BackendUnavailableError
 */
export async function selectBackend(name: BackendName): Promise<SelectedBackend> {
  registerBackends()
  return name === 'cpu' ? selectSimd() : selectWebGpu()
}

/** There is one backend in a thread, and one device at most. */
let watch: DeviceWatch | null = null

/** Runs a job on the selected backend. Throws GraphicsDeviceError if its device has failed before or meanwhile. */
export function guardDevice<T>(job: () => Promise<T>): Promise<T> {
  return watch !== null && tf.getBackend() === 'webgpu' ? watch.guard(job) : job()
}

/** A tensor of a model is larger than what the device takes as one; the message says what to do. */
export class ModelTooLargeError extends Error {
  override name = 'ModelTooLargeError'
}

/**
 * Moves a float tensor's numbers to where the selected backend computes and lets go of the array that they came in. It would happen
 * by itself when the tensor is first used; while a model is loaded, this is what keeps it from being in memory twice. `name` is the
 * tensor's in errors. Throws ModelTooLargeError.
 */
export function moveToBackend(tensor: tf.Tensor, name: string): void {
  const backend = tf.backend() as Partial<
    Pick<SimdBackend, 'addressOf'> & Pick<WebGPUBackend, 'device' | 'uploadToGPU'>
  >
  checkSize(backend, tensor.size * 4, name)
  backend.uploadToGPU?.(tensor.dataId)
  backend.addressOf?.(tensor)
}

function checkSize({ device }: { device?: GPUDevice }, bytes: number, name: string): void {
  const most = device?.limits.maxStorageBufferBindingSize ?? Infinity
  if (bytes > most)
    throw new ModelTooLargeError(
      `${name} takes ${(bytes / 1e6).toFixed(0)} MB, and this graphics device takes at most ${(most / 1e6).toFixed(0)} MB as one. Choose a smaller model, weights in four bits, or the CPU.`,
    )
}

/**
 * Keeps a weight that is not trained in half precision, where the selected backend can (webgpu), in half the memory; says whether it
 * is kept so. Whatever else asks for it gets single-precision numbers of it, which stay until this is called again.
 */
export function keepHalf(weight: tf.Variable): boolean {
  const backend = tf.backend() as Partial<Pick<GpuBackend, 'keepHalfAlone'>>
  return backend.keepHalfAlone?.(weight) ?? false
}

/**
 * Keeps a matrix that is not trained in four bits, where the selected backend can (cpu, webgpu), in 0.16 of the memory; says whether it is
 * kept so. Whatever else asks for it gets floats of it. `name` is the weight's in errors. Throws ModelTooLargeError.
 */
export function keepFourBit(weight: tf.Variable, blocks: FourBitBlocks, name: string): boolean {
  const backend = tf.backend() as FourBitBackend
  if (backend.keepFourBit) checkSize(backend, blocks.byteLength, name)
  return backend.keepFourBit?.(weight, blocks) ?? false
}

/** Keeps a weight again as it was before somebody asked for numbers of it in single precision. */
export function keepAgain(weight: tf.Variable, storage: WeightStorage): void {
  if (storage === 'float16') keepHalf(weight)
  else if (storage === 'four-bit') {
    const backend = tf.backend() as FourBitBackend
    backend.keepFourBit?.(weight)
  }
}

interface FourBitBackend extends tf.KernelBackend {
  keepFourBit?(weight: tf.TensorInfo, blocks?: FourBitBlocks): boolean
  device?: GPUDevice
}

/** Whether webgpu computes on a device that another program has opened. */
let isAdopted = false

/**
 * Makes webgpu the current backend, on a device that another program of this thread has opened: buffers of either can be copied to the
 * other. It is over with the device, which that program may end. Tensors of a webgpu backend before it are gone, so no model may be on
 * it. Throws BackendUnavailableError.
 */
export async function selectAdoptedDevice(device: GPUDevice): Promise<SelectedBackend> {
  registerBackends()
  const { placeBackend } = await import('./webgpu.ts')
  placeBackend(device)
  isAdopted = true
  await startWebGpu()
  return {
    name: 'webgpu',
    description: describe(device.adapterInfo),
  }
}

async function selectSimd(): Promise<SelectedBackend> {
  if (!hasSimd()) {
    throw new BackendUnavailableError(
      'cpu',
      'This browser has no WebAssembly SIMD, which the CPU backend is made of. Any Chrome, Edge or Firefox since 2021 and Safari since 16.4 has it: update the browser, or choose WebGPU.',
    )
  }
  let cause: unknown
  const isStarted = await tf.setBackend('simd').catch((error: unknown) => {
    cause = error
    return false
  })
  if (!isStarted) {
    throw new BackendUnavailableError(
      'cpu',
      'The WebAssembly kernels did not start. If this page runs short of memory, close other tabs and reload it.',
      { cause },
    )
  }
  return {
    name: 'cpu',
    description: `WebAssembly, ${hasRelaxedSimd() ? 'relaxed SIMD with fused multiply-add' : 'SIMD'}, one thread`,
  }
}

async function selectWebGpu(): Promise<SelectedBackend> {
  await provideGpuInNode()
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu
  if (!gpu) {
    throw new BackendUnavailableError(
      'webgpu',
      'This browser has no WebGPU. Chrome and Edge since 113, Safari since 26 and Firefox since 141 (Windows) have it, on pages served over https or from localhost: use one of them, or choose the CPU.',
    )
  }
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)
  if (!adapter) {
    throw new BackendUnavailableError(
      'webgpu',
      'WebGPU is there but offers no graphics adapter. Check that hardware acceleration is on in the browser settings and the graphics driver up to date, or choose the CPU.',
    )
  }
  const { placeBackend } = await import('./webgpu.ts')
  if (isAdopted) placeBackend(null)
  isAdopted = false
  await startWebGpu()
  return { name: 'webgpu', description: describe(adapter.info) }
}

async function startWebGpu(): Promise<void> {
  let cause: unknown
  const isStarted = await tf.setBackend('webgpu').catch((error: unknown) => {
    cause = error
    return false
  })
  if (!isStarted) {
    throw new BackendUnavailableError(
      'webgpu',
      'The graphics adapter was found but no device could be opened on it. Close other pages that use the GPU and reload, or choose the CPU.',
      { cause },
    )
  }
  const { device } = tf.backend() as WebGPUBackend
  if (watch?.device !== device) watch = new DeviceWatch(device)
}

/** Browsers of 2023 have no `info` yet. */
function describe(info: GPUAdapterInfo | undefined): string {
  const { vendor = '', architecture = '', description = '' } = info ?? {}
  return `WebGPU, ${description || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed adapter'}`
}

/** Node has no WebGPU of its own; the npm package `webgpu` gives it one where it is installed. */
export async function provideGpuInNode(): Promise<void> {
  const isNode = typeof process === 'object' && typeof process.versions?.node === 'string'
  if (!isNode || (globalThis.navigator as Navigator | undefined)?.gpu) return
  // The name is a variable so that bundlers for the browser leave the package alone.
  const packageName = 'webgpu'
  const provider = (await import(/* @vite-ignore */ packageName).catch(() => null)) as {
    create(flags: string[]): GPU
    globals: object
  } | null
  if (!provider) return
  try {
    const gpu = provider.create([])
    Object.assign(globalThis, provider.globals)
    // Node 20 has no navigator at all; later ones have one without a gpu.
    if (globalThis.navigator) Object.defineProperty(globalThis.navigator, 'gpu', { value: gpu, configurable: true })
    else Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true })
  } catch {
    // No graphics library on this machine: reported as "no WebGPU" by the caller.
  }
}
