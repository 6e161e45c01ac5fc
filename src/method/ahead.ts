/**
 * Runs a generator ahead of its reader, and keeps what it yields until it is read. So two generators can work at the same time and still
 * give their events one after the other.
 */
export class Ahead<Yielded, Result> {
  readonly #generator: AsyncGenerator<Yielded, Result, void>
  readonly #yielded: Yielded[] = []
  readonly #end: Promise<Result>
  #announce: () => void = () => {}
  #isEnded = false

  /** Starts the generator. */
  constructor(generator: AsyncGenerator<Yielded, Result, void>) {
    this.#generator = generator
    this.#end = this.#run()
    // An error reaches the reader, and there may be none.
    this.#end.catch(() => {})
  }

  /** What the generator yields, returns and throws. */
  async *read(): AsyncGenerator<Yielded, Result, void> {
    for (;;) {
      const more = new Promise<void>((resolve) => (this.#announce = resolve))
      yield* this.#yielded.splice(0)
      if (this.#isEnded) {
        yield* this.#yielded.splice(0)
        return this.#end
      }
      await more
    }
  }

  /** Ends the generator at its next step, and waits for that. */
  async close(): Promise<void> {
    this.#isEnded = true
    await this.#end.catch(() => {})
  }

  async #run(): Promise<Result> {
    try {
      for (;;) {
        const next = await this.#generator.next()
        if (next.done) return next.value
        this.#yielded.push(next.value)
        this.#announce()
        if (this.#isEnded) {
          await this.#generator.return(undefined as never)
          throw new Error('A generator was ended before its result was read.')
        }
      }
    } finally {
      this.#isEnded = true
      this.#announce()
    }
  }
}
