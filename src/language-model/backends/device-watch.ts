/**
 * Watches a graphics device. After a refused command, WebGPU continues with meaningless numbers and only reports an event; a lost
 * device reports none. Every job checks here before and after, and gets an error instead.
 */

/** The device's results cannot be trusted, or the device is lost. Continue with another device, in a fresh worker. */
export class GraphicsDeviceError extends Error {
  override readonly name = 'GraphicsDeviceError'
}

/** The part of a GPUDevice that reports failures. */
export interface WatchableDevice {
  addEventListener(type: 'uncapturederror', listener: (event: { error: { message: string } }) => void): void
  readonly lost: Promise<{ reason: string; message: string }>
}

const REMEDY =
  'The usual cause is memory or the driver: close other pages that use the GPU, lower the group size, or choose the CPU.'

export class DeviceWatch {
  readonly device: WatchableDevice
  /** The first failure, which causes later ones. */
  #failure: GraphicsDeviceError | null = null
  #isLost = false

  constructor(device: WatchableDevice) {
    this.device = device
    device.addEventListener('uncapturederror', ({ error }) => {
      this.#fail(`refused a command, so its results cannot be trusted any more (${firstLine(error.message)}).`)
    })
    void device.lost.then(({ reason, message }) => {
      this.#isLost = true
      this.#fail(`was lost (${[reason, firstLine(message)].filter(Boolean).join(': ')}).`)
    })
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Runs a job on the device. Throws GraphicsDeviceError if the device failed before or during the job. */
  async guard<T>(job: () => Promise<T>): Promise<T> {
    this.#check()
    try {
      return await job()
    } catch (error) {
      // A loss may be reported after the calls that it broke.
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

/** Validation messages continue with shader dumps. */
function firstLine(message: string): string {
  return message.trim().split('\n', 1)[0] ?? ''
}
