/**
 * Watches a graphics device. After a command that it refuses, WebGPU goes on and gives numbers that mean nothing, and only
 * an event tells; a lost device gives none. Whoever computes asks here before and after, and gets an error instead.
 */

/** What the device has computed cannot be trusted, or it is gone. The way on is another device: a fresh worker. */
export class GraphicsDeviceError extends Error {
  override readonly name = 'GraphicsDeviceError'
}

/** The part of a GPUDevice that tells of failures. */
export interface WatchableDevice {
  addEventListener(type: 'uncapturederror', listener: (event: { error: { message: string } }) => void): void
  readonly lost: Promise<{ reason: string; message: string }>
}

const REMEDY =
  'Memory or the driver is the usual reason: close other pages that use the GPU, lower the group size, or choose the CPU.'

export class DeviceWatch {
  readonly device: WatchableDevice
  /** The first failure; those after it follow from it. */
  #failure: GraphicsDeviceError | null = null

  constructor(device: WatchableDevice) {
    this.device = device
    device.addEventListener('uncapturederror', ({ error }) => {
      this.#fail(`refused a command, so what it computes is not to be trusted any more (${firstLine(error.message)}).`)
    })
    void device.lost.then(({ reason, message }) => {
      this.#fail(`was lost (${[reason, firstLine(message)].filter(Boolean).join(': ')}).`)
    })
  }

  /** Runs a job of the device. Throws GraphicsDeviceError if that has failed before or meanwhile. */
  async guard<T>(job: () => Promise<T>): Promise<T> {
    this.#check()
    try {
      return await job()
    } catch (error) {
      // The loss may be told of after the calls that it broke.
      await new Promise((resolve) => setTimeout(resolve, 0))
      throw error
    } finally {
      this.#check()
    }
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure
  }

  #fail(what: string): void {
    this.#failure ??= new GraphicsDeviceError(`The graphics device ${what} ${REMEDY}`)
  }
}

/** Messages of validation go on with dumps of shaders. */
function firstLine(message: string): string {
  return message.trim().split('\n', 1)[0] ?? ''
}
