import { describe, expect, it } from 'vitest'
import { Ahead } from '../../src/method/ahead.ts'

/** Yields 1, 2 ... count, and tells how far it has come. */
class Counter {
  reached = 0
  isEnded = false

  async *run(count: number, error?: Error): AsyncGenerator<number, string, void> {
    try {
      for (let i = 1; i <= count; i++) {
        await Promise.resolve()
        yield (this.reached = i)
      }
      if (error) throw error
      return 'done'
    } finally {
      this.isEnded = true
    }
  }
}

async function readAll<Yielded, Result>(generator: AsyncGenerator<Yielded, Result, void>) {
  const yielded: Yielded[] = []
  for (;;) {
    const next = await generator.next()
    if (next.done) return { yielded, result: next.value }
    yielded.push(next.value)
  }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve()
}

describe('a generator that runs ahead', () => {
  it('does its work before anybody reads, and then gives everything in order', async () => {
    const counter = new Counter()
    const ahead = new Ahead(counter.run(4))
    await turns(100)
    expect(counter.reached).toBe(4)
    expect(await readAll(ahead.read())).toEqual({ yielded: [1, 2, 3, 4], result: 'done' })
  })

  it('gives the same to a reader that waits for it', async () => {
    expect(await readAll(new Ahead(new Counter().run(50)).read())).toEqual({
      yielded: Array.from({ length: 50 }, (_, i) => i + 1),
      result: 'done',
    })
  })

  it('throws its error to the reader, after what it yielded', async () => {
    const ahead = new Ahead(new Counter().run(2, new Error('no more')))
    await turns(100)
    const read = ahead.read()
    expect((await read.next()).value).toBe(1)
    expect((await read.next()).value).toBe(2)
    await expect(read.next()).rejects.toThrow('no more')
  })

  it('ends without a reader', async () => {
    const counter = new Counter()
    const ahead = new Ahead(counter.run(1_000_000))
    await turns(10)
    await ahead.close()
    expect(counter.isEnded).toBe(true)
    expect(counter.reached).toBeLessThan(1000)
  })
})
