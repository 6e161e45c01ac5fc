/** Exchanges lines with another program in batches, with at most one long line in memory. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Splits chunks of text into lines. Drops a line longer than `limit`, but reports it. */
export class LineSplitter {
  #rest = ''
  #isTooLong = false

  constructor(private readonly limit: number) {}

  /** The lines that this chunk completes, without their breaks; null for one that was too long. */
  *take(chunk: string): Generator<string | null> {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      this.#keep(chunk.slice(start, end))
      yield this.#line()
      start = end + 1
    }
    this.#keep(chunk.slice(start))
  }

  /** The rest at the end of the input: a last line without a break. */
  *end(): Generator<string | null> {
    if (this.#rest !== '' || this.#isTooLong) yield this.#line()
  }

  #keep(part: string): void {
    if (this.#isTooLong) return
    this.#isTooLong = this.#rest.length + part.length > this.limit
    this.#rest = this.#isTooLong ? '' : this.#rest + part
  }

  #line(): string | null {
    const line = this.#isTooLong ? null : this.#rest
    this.#rest = ''
    this.#isTooLong = false
    return line
  }
}

/** Characters to collect before writing, unless there is nothing more to answer. */
const BATCH = 1 << 16

/**
 * Answers every line of the input, except blank ones, in order. Writes all answers to a chunk of input at once, but earlier ones do
 * not wait for a slow answer. Stops reading while the other side does not read.
 */
export async function answerLines(
  input: AsyncIterable<Uint8Array>,
  output: Writable,
  limit: number,
  answer: (line: string | null) => string | Promise<string>,
): Promise<void> {
  const decoder = new TextDecoder()
  const splitter = new LineSplitter(limit)
  let batch = ''
  const flush = async () => {
    if (batch === '') return
    const isRoom = output.write(batch)
    batch = ''
    if (!isRoom) await once(output, 'drain')
  }
  const take = async (lines: Iterable<string | null>) => {
    for (const line of lines) {
      if (line?.trim() === '') continue
      const answered = answer(line)
      if (typeof answered !== 'string') await flush()
      batch += `${typeof answered === 'string' ? answered : await answered}\n`
      if (batch.length > BATCH) await flush()
    }
  }
  for await (const chunk of input) {
    await take(splitter.take(decoder.decode(chunk, { stream: true })))
    await flush()
  }
  await take(splitter.take(decoder.decode()))
  await take(splitter.end())
  await flush()
}
