import fs, { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Journal } from '../../../src/cluster/gateway/journal.ts'
import { jsonItems, TornJsonError } from '../../../src/cluster/gateway/json-items.ts'
import { readLogEnd } from '../../../src/cluster/gateway/log-end.ts'
import { Redactor, secretsIn } from '../../../src/cluster/gateway/redactor.ts'
import { AT_START, readTail, type TailCursor } from '../../../src/cluster/gateway/tail.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sources-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const event = (seq: number): LoggedEvent => ({
  type: 'iteration-finished',
  metrics: { value: seq },
  seq,
  iteration: seq,
})

function opened(path: string): { journal: Journal<number>; events: LoggedEvent[] } {
  const events: LoggedEvent[] = []
  return { journal: Journal.open<number>(path, (one) => events.push(one)), events }
}

describe('the journal', () => {
  it('contains the complete batches, wherever its writer was killed', () => {
    const path = join(folder, 'journal.jsonl')
    const { journal } = opened(path)
    const ends: number[] = [0]
    let seq = 0
    for (const size of [1, 3, 0, 2]) {
      journal.append(
        Array.from({ length: size }, () => event(seq++)),
        seq,
      )
      ends.push(statSync(path).size)
    }
    journal.close()
    const whole = readFileSync(path)
    const counts = [0, 1, 4, 4, 6]
    for (let cut = 0; cut <= whole.length; cut++) {
      writeFileSync(path, whole.subarray(0, cut))
      const batches = ends.filter((end) => end <= cut).length - 1
      const again = opened(path)
      expect(again.events.map((one) => one.seq)).toEqual(Array.from({ length: counts[batches]! }, (_, index) => index))
      expect(again.journal.cursor).toBe(batches === 0 ? null : counts[batches])
      expect(again.journal.length).toBe(counts[batches])
      // The next batch replaces the torn one.
      again.journal.append([event(99)], 1)
      expect(JSON.parse(again.journal.line(counts[batches]!))).toEqual(event(99))
      again.journal.close()
    }
  })

  it('is as before after a failed append, and a shorter batch replaces what that one wrote', () => {
    const path = join(folder, 'journal.jsonl')
    const { journal } = opened(path)
    journal.append([event(0)], 1)
    const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw new Error('EIO')
    })
    syncBuiltinESMExports()
    try {
      expect(() => journal.append([event(1), event(2)], 3)).toThrow('EIO')
    } finally {
      spy.mockRestore()
      syncBuiltinESMExports()
    }
    expect([journal.length, journal.cursor]).toEqual([1, 1])
    journal.append([event(1)], 2)
    expect(JSON.parse(journal.line(1))).toEqual(event(1))
    journal.close()
    const again = opened(path)
    expect(again.events).toEqual([event(0), event(1)])
    expect(again.journal.cursor).toBe(2)
    again.journal.close()
  })

  it('reports where it is damaged, unless a writer was killed there', () => {
    const path = join(folder, 'journal.jsonl')
    writeFileSync(path, `${JSON.stringify({ e: event(0) })}\n{"c":1\n${JSON.stringify({ e: event(1) })}\n{"c":2}\n`)
    expect(() => opened(path)).toThrow(/line 2/)
  })
})

describe('the tail of a file', () => {
  it('yields every line once, however writes and reads are split', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ' ')),
          { maxLength: 12 },
        ),
        fc.array(fc.nat(40), { minLength: 1, maxLength: 20 }),
        (lines, cuts) => {
          const path = join(folder, 'log')
          writeFileSync(path, '')
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
          const read: string[] = []
          let cursor: TailCursor = AT_START
          let at = 0
          for (let index = 0; at < bytes.length; index++) {
            const size = 1 + cuts[index % cuts.length]!
            appendFileSync(path, bytes.subarray(at, at + size))
            at += size
            const tail = readTail(path, cursor)
            read.push(...tail.lines.map(({ text }) => text))
            // Like a restarted gateway.
            cursor = JSON.parse(JSON.stringify(tail.cursor)) as TailCursor
            expect(tail.isFresh).toBe(false)
          }
          expect(read).toEqual(lines)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('starts over if a file was cleared, or replaced by one of the same length', () => {
    const path = join(folder, 'log')
    writeFileSync(path, 'one\ntwo\n')
    const { cursor } = readTail(path, AT_START)
    truncateSync(path, 0)
    expect(readTail(path, cursor)).toMatchObject({ lines: [], isFresh: true })
    writeFileSync(path, 'eins\nzwei\ndrei\n')
    const tail = readTail(path, cursor)
    expect(tail.isFresh).toBe(true)
    expect(tail.lines.map(({ text }) => text)).toEqual(['eins', 'zwei', 'drei'])
  })

  it('waits for a file that does not exist yet, and splits a line that never ends', () => {
    const path = join(folder, 'log')
    expect(readTail(path, AT_START)).toMatchObject({ lines: [], isFresh: false })
    writeFileSync(path, 'x'.repeat(200_000))
    const { lines } = readTail(path, AT_START)
    expect(lines.length).toBe(3)
    expect(lines.every(({ text }) => text.length === 1 << 16)).toBe(true)
  })

  it('reads a large file in pieces', () => {
    const path = join(folder, 'log')
    writeFileSync(path, Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join(''))
    const read: string[] = []
    let cursor = AT_START
    for (let hasMore = true; hasMore;) {
      const tail = readTail(path, cursor, 64)
      read.push(...tail.lines.map(({ text }) => text))
      ;({ cursor, hasMore } = tail)
    }
    expect(read).toHaveLength(100)
  })

  it('shows a new client the last whole lines', () => {
    const path = join(folder, 'log')
    writeFileSync(path, 'first\nsecond\nthird\nhal')
    const whole = [
      { offset: 0, text: 'first' },
      { offset: 6, text: 'second' },
      { offset: 13, text: 'third' },
    ]
    expect(readLogEnd(path, 14)).toEqual(whole.slice(2))
    expect(readLogEnd(path, 1000)).toEqual(whole)
    expect(readLogEnd(join(folder, 'none'), 10)).toEqual([])
  })
})

describe('items of a large array', () => {
  const items = async (text: string, longest?: number): Promise<unknown[]> => {
    const path = join(folder, 'dump.json')
    writeFileSync(path, text)
    const all: unknown[] = []
    for await (const item of jsonItems(path, longest)) all.push(item)
    return all
  }

  it('equal those of JSON.parse, in any layout', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true })),
        fc.nat(2),
        async (list, indent) => {
          const text = JSON.stringify(list, null, indent)
          const expected = JSON.parse(text) as unknown[]
          expect(await items(text)).toEqual(expected)
          expect(await items(JSON.stringify({ data: list }))).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('may be longer than a piece of the file', async () => {
    const list = [{ text: '{"[\\'.repeat(100_000) }, { text: 'short' }]
    expect(await items(JSON.stringify(list))).toEqual(list)
    expect(await items(JSON.stringify(list), 1000)).toEqual([null, { text: 'short' }])
  })

  it('of an incomplete dump are torn, wherever it ends', async () => {
    const text = JSON.stringify([{ a: [1, { b: '}]"' }] }, { c: 'x\\' }], null, 1)
    for (let end = 0; end < text.length; end++) await expect(items(text.slice(0, end))).rejects.toThrow(TornJsonError)
    await expect(items('nothing')).rejects.toThrow(TornJsonError)
  })
})

describe('the redactor', () => {
  it('removes secrets and paths from texts and values, including paths that the release turns into names', () => {
    const redactor = new Redactor(
      secretsIn({
        system: { region: 'cn-beijing', HF_HOME: '/data/hf/', VOLCENGINE_DEFAULT_PASSWORD: 'hunter22' },
        model: { policy_model: '/data/models/Qwen (v2)' },
      }),
    )
    expect(
      redactor.text('cp /data/hf/x results-rl-.data.models.Qwen (v2)-alfworld.txt as hunter22 in cn-beijing'),
    ).toBe('cp <on the cluster>/x results-rl-<on the cluster>-alfworld.txt as <on the cluster> in cn-beijing')
    expect(redactor.value({ a: ['/data/hf', 1, null], b: { c: 'hunter22!' } })).toEqual({
      a: ['<on the cluster>', 1, null],
      b: { c: '<on the cluster>!' },
    })
  })
})
