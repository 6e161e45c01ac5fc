import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { parseRunLog, RunLogError, serialiseRunLog } from '../../src/runs/run-log.ts'
import { fakeRunLines } from '../playground/fake-run.ts'

const task = { id: 't1', rootId: 't1', instruction: 'put a ~"mug"\n on it', kind: 'put', body: { scene: [1, null] } }

function someEvents(count: number): LoggedEvent[] {
  return Array.from({ length: count }, (_, seq) =>
    seq % 2 === 0
      ? { type: 'task-added', task, split: 'train', seq, iteration: 0 }
      : { type: 'iteration-finished', metrics: { 'policy/loss': seq / 7 }, seq, iteration: (seq + 1) / 2 },
  )
}

function errorOf(run: () => unknown): RunLogError {
  try {
    run()
  } catch (error) {
    if (error instanceof RunLogError) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}

describe('a run log', () => {
  it('reads as it was written', () => {
    const events = someEvents(6)
    expect(parseRunLog(serialiseRunLog(events))).toEqual(events)
    expect(parseRunLog(serialiseRunLog([]))).toEqual([])
  })

  it('keeps any finite number and any text exactly', () => {
    const metrics = fc.dictionary(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
    )
    fc.assert(
      fc.property(metrics, fc.string({ unit: 'binary' }), (values, text) => {
        const events: LoggedEvent[] = [
          { type: 'task-added', task: { ...task, instruction: text }, split: 'train', seq: 0, iteration: 0 },
          { type: 'iteration-finished', metrics: values, seq: 1, iteration: 1 },
        ]
        const written = serialiseRunLog(events)
        expect(serialiseRunLog(parseRunLog(written))).toBe(written)
      }),
    )
  })

  it('refuses numbers that JSON cannot hold, by name', () => {
    const event: LoggedEvent = { type: 'iteration-finished', metrics: { 'policy/kl': NaN }, seq: 3, iteration: 1 }
    expect(() => serialiseRunLog([event])).toThrow('"policy/kl" of event 3')
  })

  it.each([
    ['', 1, 'not JSON'],
    ['[1]\n', 1, 'not a JSON object'],
    ['{"format":"other"}\n', 1, 'rlanything-run'],
    ['{"format":"rlanything-run","version":9}\n', 1, 'version 9'],
  ])('names the first line when the header is %j', (text, line, why) => {
    const error = errorOf(() => parseRunLog(text))
    expect(error.line).toBe(line)
    expect(error.message).toContain(why)
  })

  it('reports the damaged line and the reason', () => {
    const lines = serialiseRunLog(someEvents(5)).split('\n')
    const damaged = (index: number, change: (line: string) => string) =>
      errorOf(() => parseRunLog(lines.map((line, at) => (at === index ? change(line) : line)).join('\n')))
    expect(damaged(3, (line) => line.slice(4)).line).toBe(4)
    expect(damaged(2, (line) => line.replace('iteration-finished', 'iteration-vanished')).message).toContain('vanished')
    expect(damaged(4, (line) => line.replace('"seq":3', '"seq":8')).message).toMatch(/line 5.* 8 instead of 3/)
    expect(damaged(1, (line) => line.replace('"iteration":0', '"iteration":0.5')).line).toBe(2)
    expect(errorOf(() => parseRunLog([...lines.slice(0, 3), ...lines.slice(4)].join('\n'))).line).toBe(4)
  })

  it('is refused if it is of a world that this playground lacks, or without settings', () => {
    const lines = fakeRunLines({ iterations: 1 }).split('\n')
    const began = JSON.parse(lines[1]!) as { settings: object }
    const beginning = (settings: unknown) =>
      parseRunLog([lines[0], JSON.stringify({ ...began, settings }), ...lines.slice(2)].join('\n'))
    for (const world of ['garden', 'toString', 3]) {
      const error = errorOf(() => beginning({ ...began.settings, world }))
      expect(error.line).toBe(2)
      expect(error.message).toContain('Update the playground.')
    }
    for (const settings of [undefined, 'household'])
      expect(errorOf(() => beginning(settings)).message).toMatch(/line 2: "run-started" has no settings/)
    expect(beginning({ ...began.settings, world: 'own' })[0]).toMatchObject({ settings: { world: 'own' } })
    expect(beginning({ ...began.settings, world: undefined, setting: 'coding' })[0]).toMatchObject({
      settings: { world: 'coding' },
    })
  })

  it('distinguishes an incomplete last line from damage, and can drop it', () => {
    const events = someEvents(4)
    const text = serialiseRunLog(events)
    const torn = text.slice(0, -20)
    expect(errorOf(() => parseRunLog(torn)).message).toMatch(/line 5: it is incomplete/)
    expect(parseRunLog(torn, { isTornEndAllowed: true })).toEqual(events.slice(0, 3))
    // Only the line break is missing, so no event is lost.
    expect(parseRunLog(text.slice(0, -1))).toEqual(events)
  })
})
