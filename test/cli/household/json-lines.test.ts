import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerLines, LineSplitter } from '../../../src/cli/household/json-lines.ts'

const LIMIT = 20

function linesOf(chunks: readonly string[]): (string | null)[] {
  const splitter = new LineSplitter(LIMIT)
  return [...chunks.flatMap((chunk) => [...splitter.take(chunk)]), ...splitter.end()]
}

async function answered(chunks: readonly Uint8Array[], answer = (line: string | null) => `${line}`): Promise<string> {
  const output = new PassThrough()
  let text = ''
  output.setEncoding('utf8').on('data', (part: string) => (text += part))
  async function* input() {
    yield* chunks
  }
  await answerLines(input(), output, LIMIT, answer)
  return text
}

describe('lines', () => {
  it('do not depend on where chunks end; a line over the limit is reported but not kept', () => {
    const anyText = fc.array(
      fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(anyText, fc.boolean(), fc.array(fc.nat(60), { maxLength: 12 }), (lines, isBroken, lengths) => {
        let rest = lines.join('\n') + (isBroken && lines.length > 0 ? '\n' : '')
        const expected = rest.split('\n').map((line) => (line.length > LIMIT ? null : line))
        // The text after the last break is a line only if it is not empty.
        if (expected.at(-1) === '') expected.pop()
        const chunks: string[] = []
        for (const length of lengths) {
          chunks.push(rest.slice(0, length))
          rest = rest.slice(length)
        }
        expect(linesOf([...chunks, rest])).toEqual(expected)
      }),
    )
  })

  it('may have characters split between two chunks', async () => {
    const bytes = new TextEncoder().encode('tasse à café ☕\n')
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await answered([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe('tasse à café ☕\n')
    }
  })

  it('are answered in order, except blank ones, with one write for each chunk', async () => {
    const writes: string[] = []
    const output = new Writable({
      decodeStrings: false,
      write(chunk: string, _, done) {
        writes.push(chunk)
        done()
      },
    })
    async function* input() {
      yield Buffer.from('a\n\nb\r\n \nc')
      yield Buffer.from('d\ne')
    }
    const slowly = async (line: string) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return line
    }
    await answerLines(input(), output, LIMIT, (line) => (line === 'cd' ? slowly(line) : line!.trim()))
    expect(writes).toEqual(['a\nb\n', 'cd\n', 'e\n'])
  })

  it('are not read faster than their answers', async () => {
    let read = 0
    let resume = () => {}
    const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => (resume = done) })
    async function* input() {
      for (; read < 10; read++) yield Buffer.from(`${read}\n`)
    }
    const all = answerLines(input(), output, LIMIT, (line) => `${line}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(read).toBe(0)
    const pump = setInterval(() => resume(), 1)
    await all
    clearInterval(pump)
    expect(read).toBe(10)
  })
})
