import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { DeviceWatch } from './device-watch.ts'
import { BackendUnavailableError, type BackendName } from './backend.ts'
import { provideGpuInNode } from './node-gpu.ts'
import { hasRelaxedSimd, hasSimd } from './simd/kernel-module.ts'
import { registerSimdBackend } from './simd/register.ts'

export interface SelectedBackend {
  name: BackendName
  /** To display, such as "WebAssembly, relaxed SIMD, one thread". */
  description: string
}

/** Registers our backends with TensorFlow.js without starting any. */
export function registerBackends(): void {
  registerSimdBackend()
}

/**
 * Starts a backend and makes it the current one: `cpu` is our WebAssembly SIMD backend, `webgpu` extends that of TensorFlow.js.
 * Throws BackendUnavailableError.
 */
export async function selectBackend(name: BackendName): Promise<SelectedBackend> {
  registerBackends()
  return name === 'cpu' ? selectSimd() : selectWebGpu()
}

/** A thread has one backend, and one device at most. */
let watch: DeviceWatch | null = null

/** Runs a job on the selected backend. Throws GraphicsDeviceError if its device failed before or during the job. */
export function guardDevice<T>(job: () => Promise<T>): Promise<T> {
  return watch !== null && tf.getBackend() === 'webgpu' ? watch.guard(job) : job()
}

/** Whether webgpu uses a device that another program has opened. */
let isAdopted = false

/**
 * Makes webgpu the current backend on a device that another program of this thread has opened, so that either can copy the other's
 * buffers. The backend ends with the device, which that program may close. Tensors of an earlier webgpu backend are lost, so no model
 * may use it. Throws BackendUnavailableError.
 */
export async function selectAdoptedDevice(device: GPUDevice): Promise<SelectedBackend> {
  registerBackends()
  const { placeBackend } = await import('./webgpu/register.ts')
  placeBackend(device)
  isAdopted = true
  await startWebGpu()
  return {
    name: 'webgpu',
    description: describe(device.adapterInfo),
  }
}

/** The smallest module: its header. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)

/** Why the page may not compile WebAssembly; null if it may. */
async function compilationObstacle(): Promise<string | null> {
  try {
    await WebAssembly.compile(EMPTY_MODULE)
    return null
  } catch (error) {
    return (
      'The site does not allow this page to compile WebAssembly ' +
      `(${error instanceof Error ? error.message : String(error)}). ` +
      "Its Content-Security-Policy needs 'wasm-unsafe-eval' in script-src; ask the person who hosts the page."
    )
  }
}

async function selectSimd(): Promise<SelectedBackend> {
  if (!hasSimd()) {
    throw new BackendUnavailableError(
      'cpu',
      'This browser has no WebAssembly SIMD, which the CPU backend requires. Chrome, Edge and Firefox since 2021 and Safari since 16.4 have it: update the browser' +
        ((navigator as Partial<Navigator>).gpu === undefined ? '.' : ', or choose WebGPU.'),
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
      (await compilationObstacle()) ??
        'The WebAssembly kernels did not start. If memory is short, close other tabs and reload this page.',
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
      'WebGPU offers no graphics adapter. Check that hardware acceleration is on in the browser settings and that the graphics driver is up to date, or choose the CPU.',
    )
  }
  const { placeBackend } = await import('./webgpu/register.ts')
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
      'The graphics adapter opened no device. Close other pages that use the GPU and reload, or choose the CPU.',
      { cause },
    )
  }
  const { device } = tf.backend() as WebGPUBackend
  if (watch?.device !== device) watch = new DeviceWatch(device)
}

/** Browsers of 2023 have no `info`. */
function describe(info: GPUAdapterInfo | undefined): string {
  const { vendor = '', architecture = '', description = '' } = info ?? {}
  return `WebGPU, ${description || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed adapter'}`
}
