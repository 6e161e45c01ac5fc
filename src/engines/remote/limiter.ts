/** Runs at most so many jobs at once. Others wait in order, and leave the queue on abort. */
export class Limiter {
  readonly #most: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    if (!Number.isInteger(most) || most < 1)
      throw new RangeError(`${most} requests at once are not possible; allow at least one.`)
    this.#most = most
  }

  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal)
    try {
      return await job()
    } finally {
      // Hands the place to the next job directly, so that no other can take it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  #enter(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    if (this.#running < this.#most) {
      this.#running++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal!.reason as Error)
      }
      const enter = () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      this.#waiting.push(enter)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
}
