import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isLogged, type RunEvent, type StepHappened } from '../../../src/method/events.ts'
import { EventPacer } from '../../../src/playground/state/event-pacer.ts'
import { fakeRun } from '../fake-run.ts'

const events = [...fakeRun({ iterations: 2, ephemeral: true })]

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { hidden: false })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** What slow motion has passed on at each of its stops, in the order of the run. */
async function stops(of: readonly RunEvent[] = events): Promise<RunEvent[][]> {
  let taken: RunEvent[] = []
  const drawn: RunEvent[][] = []
  const draw = () => {
    drawn.push(taken)
    taken = []
  }
  const pacer = new EventPacer({ take: (event) => taken.push(event), caughtUp: () => undefined, draw })
  pacer.isSlow = true
  pacer.push(of)
  while (drawn.flat().length < of.length) await vi.advanceTimersToNextTimerAsync()
  expect(drawn.flat()).toEqual(of)
  return drawn
}

it('slow motion passes what sets a run up at once, and shows the first step', async () => {
  const [first] = await stops()
  expect(first!.filter(({ type }) => type === 'task-added').length).toBeGreaterThan(1)
  expect(first!.at(-1)!.iteration).toBe(1)
})

it('slow motion stops once for a step that all rollouts take, and after every other event of an iteration', async () => {
  const steps = events.filter((event): event is StepHappened & { iteration: number } => event.type === 'step')
  const rounds = steps.filter(({ iteration }) => iteration === 1).sort((a, b) => a.index - b.index)
  const others = events.filter((event) => isLogged(event) && event.iteration > 0)
  const drawn = await stops([...rounds, ...others])
  const counts = rounds.map(({ index }) => index)
  expect(drawn.slice(0, new Set(counts).size).map((stop) => stop.length)).toEqual(
    [...new Set(counts)].map((index) => counts.filter((other) => other === index).length),
  )
  expect(rounds.length).toBeGreaterThan(new Set(counts).size)
  expect(drawn.slice(new Set(counts).size).every((stop) => stop.length === 1)).toBe(true)
})

it('without slow motion everything passes in as few frames as its time budget allows', async () => {
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => setTimeout(frame, 16))
  vi.stubGlobal('cancelAnimationFrame', clearTimeout)
  const take = vi.fn()
  const pacer = new EventPacer({ take, caughtUp: () => undefined, draw: () => undefined })
  pacer.push(events)
  await vi.advanceTimersByTimeAsync(16 * events.length)
  expect(take).toHaveBeenCalledTimes(events.length)
  expect(vi.getTimerCount()).toBe(0)
})

it('passes events on where no frame comes, as in a tab that was hidden meanwhile', async () => {
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
  const take = vi.fn()
  const pacer = new EventPacer({ take, caughtUp: () => undefined, draw: () => undefined })
  pacer.push(events.slice(0, 5))
  vi.stubGlobal('document', { hidden: true })
  await vi.advanceTimersByTimeAsync(1000)
  pacer.push(events.slice(5))
  await vi.advanceTimersByTimeAsync(1000)
  expect(take).toHaveBeenCalledTimes(events.length)
})
