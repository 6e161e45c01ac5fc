import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamError, EventStreamParser, readEvents } from '../../../src/cluster/client/event-stream.ts'

function parse(...pieces: string[]) {
  const parser = new EventStreamParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

describe('a stream of server-sent events', () => {
  it('parses the standard’s examples', () => {
    // https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
    expect(parse('data: YHOO\ndata: +2\ndata: 10\n\n')).toEqual([{ event: 'message', data: 'YHOO\n+2\n10', id: '' }])
    expect(parse(': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n')).toEqual(
      [
        { event: 'message', data: 'first event', id: '1' },
        { event: 'message', data: 'second event', id: '' },
      ],
    )
    expect(parse('data\n\ndata\ndata\n\ndata:')).toEqual([
      { event: 'message', data: '', id: '' },
      { event: 'message', data: '\n', id: '' },
    ])
    expect(parse('data:test\n\ndata: test\n\n').map(({ data }) => data)).toEqual(['test', 'test'])
    expect(parse('\uFEFFdata: mark\n\n')[0]?.data).toBe('mark')
  })

  it('keeps the id across events, but not the name', () => {
    expect(parse('event: run\nid: 7\ndata: a\n\ndata: b\n\nid: x\0y\ndata: c\n\n')).toEqual([
      { event: 'run', data: 'a', id: '7' },
      { event: 'message', data: 'b', id: '7' },
      { event: 'message', data: 'c', id: '7' },
    ])
  })

  it('yields the same events wherever it is cut, with every kind of line ending', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\0]/g, ' '))
    const message = fc.record({ event: line, id: fc.nat().map(String), data: fc.array(line, { minLength: 1 }) })
    fc.assert(
      fc.property(
        fc.array(message),
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (messages, ending, lengths) => {
          const text = messages
            .map(({ event, id, data }) =>
              [`event:${event}`, `id: ${id}`, ...data.map((part) => `data: ${part}`), '', ''].join(ending),
            )
            .join('')
          const pieces: string[] = []
          for (let at = 0; at < text.length;) {
            const length = lengths.next().value as number
            pieces.push(text.slice(at, at + length))
            at += length
          }
          const expected = messages.map(({ event, id, data }) => ({
            // One space after the colon is part of the syntax.
            event: event.replace(/^ /, '') || 'message',
            id,
            data: data.join('\n'),
          }))
          expect(parse(...pieces)).toEqual(expected)
        },
      ),
    )
  })

  it('discards an incomplete last event, joins split characters, and cancels a body that is no longer read', async () => {
    const bytes = new TextEncoder().encode('data: λ α\n\ndata: half')
    let isCancelled = false
    const body = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        },
        cancel() {
          isCancelled = true
        },
      })
    const read: string[] = []
    let heard = 0
    for await (const { data } of readEvents(body(), () => heard++)) read.push(data)
    expect(read).toEqual(['λ α'])
    expect(heard).toBe(bytes.length)
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
      cancel() {
        isCancelled = true
      },
    })
    for await (const _ of readEvents(endless)) break
    expect(isCancelled).toBe(true)
  })

  it('rejects a stream that never ends an event', () => {
    const parser = new EventStreamParser(100)
    expect(() => parser.push('x'.repeat(101))).toThrow(EventStreamError)
    const other = new EventStreamParser(100)
    expect(() => {
      for (let i = 0; i < 50; i++) other.push('data: 12345678\n')
    }).toThrow(EventStreamError)
  })
})
