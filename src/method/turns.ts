/** Runs jobs one after another. A job that fails does not stop the ones behind it. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Settles as the job does, which starts when all earlier jobs have settled. */
  take<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job)
    this.#last = result.catch(() => undefined)
    return result
  }
}
