/**
 * Passes events on frame by frame, within a time budget, so that a long history does not block the page. In slow motion it
 * stops after each event of an iteration, and after each step that its rollouts take together. What sets a run up, such as
 * its tasks, passes at once: nothing of it is to be seen.
 */
import { isLogged, type RunEvent } from '../../method/events.ts'

/** Milliseconds per frame; the remaining events wait for the next. */
const BUDGET_MS = 8
/** Milliseconds between two events of the log in slow motion, and between two steps. */
const SLOW_MOTION_MS = 120
const SLOW_STEP_MS = 600
/** Events that slow motion may fall behind: a few iterations. Beyond, it catches up at full speed. */
const MOST_BEHIND = 2000
/** Milliseconds between two drawings while the page is behind. */
const CATCH_UP_MS = 500
/** A hidden tab has no frames, but its log must not pile up. Milliseconds. */
const HIDDEN_MS = 50
/**
 * Milliseconds after which no frame is coming: the tab was hidden meanwhile, or the browser draws nothing of the page, as in a frame that
 * was scrolled out of a course page.
 */
const NO_FRAME_MS = 500

export interface PacedReader {
  take(event: RunEvent): void
  /** All events that have arrived were taken. */
  caughtUp(): void
  /** What was taken should be drawn. */
  draw(): void
}

export class EventPacer {
  isSlow = false
  #queue: RunEvent[] = []
  #head = 0
  #drawnAt = 0
  #isScheduled = false
  /** Milliseconds that slow motion shows what passed last. */
  #rest = SLOW_MOTION_MS
  readonly #reader: PacedReader

  constructor(reader: PacedReader) {
    this.#reader = reader
  }

  get isBehind(): boolean {
    return this.#head < this.#queue.length
  }

  push(batch: readonly RunEvent[]): void {
    for (const event of batch) this.#queue.push(event)
    if (!this.#isScheduled) this.#schedule()
  }

  clear(): void {
    this.#queue = []
    this.#head = 0
  }

  #schedule(): void {
    this.#isScheduled = true
    if (document.hidden) setTimeout(() => this.#pass(), HIDDEN_MS)
    else if (this.#isPaced()) setTimeout(() => this.#pass(), this.#rest)
    else {
      const pass = () => {
        clearTimeout(timer)
        cancelAnimationFrame(frame)
        this.#pass()
      }
      const timer = setTimeout(pass, NO_FRAME_MS)
      const frame = requestAnimationFrame(pass)
    }
  }

  #isPaced(): boolean {
    return this.isSlow && !document.hidden && this.#queue.length - this.#head < MOST_BEHIND
  }

  #pass(): void {
    this.#isScheduled = false
    const isPaced = this.#isPaced()
    const deadline = performance.now() + BUDGET_MS
    while (this.isBehind && performance.now() < deadline) {
      const event = this.#queue[this.#head++]!
      this.#reader.take(event)
      if (!isPaced || !isSight(event, this.#queue[this.#head])) continue
      this.#rest = event.type === 'step' ? SLOW_STEP_MS : SLOW_MOTION_MS
      break
    }
    const { isBehind } = this
    if (isBehind) this.#schedule()
    else {
      this.clear()
      this.#reader.caughtUp()
    }
    // A long history arrives faster than it can be drawn, so only some of its states are.
    if (!isBehind || isPaced || performance.now() - this.#drawnAt > CATCH_UP_MS) {
      this.#drawnAt = performance.now()
      this.#reader.draw()
    }
  }
}

/** Whether slow motion stops after an event. Its rollouts take a step one right after another. */
function isSight(event: RunEvent, next: RunEvent | undefined): boolean {
  if (event.iteration === 0) return false
  if (event.type === 'step') return next?.type !== 'step' || next.index !== event.index
  return isLogged(event)
}
