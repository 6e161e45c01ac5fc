/**
 * A pointer on a chart: pressed and let go of at one place it is a click; moved between, it drags a range. A click on a
 * chart that shows a range waits for a second one, which gives the whole back and opens nothing.
 */
import type { Axis } from './chart-axis.ts'
import { draggedRange, type ChartRange } from './chart-range.ts'

/** Pixels that make a press a drag. */
const DRAG = 5
/** Milliseconds that a click waits for a second one. */
const SECOND_CLICK = 250

export class ChartBrush {
  /** What is dragged over at the moment. */
  range = $state.raw<ChartRange | null>(null)
  /** Where the pointer was pressed, in pixels of the window, and the place on the axis there. */
  #pressed: { left: number; place: number } | null = null
  #wasDragged = false
  #picking: ReturnType<typeof setTimeout> | undefined

  press(event: PointerEvent, place: number): void {
    this.#wasDragged = false
    if (event.button === 0) this.#pressed = { left: event.clientX, place }
  }

  move(event: PointerEvent, place: number, axis: Axis): void {
    if (this.#pressed === null) return
    // Let go of outside, before it was a drag.
    if (event.buttons === 0) return this.letGo()
    if (this.range === null && Math.abs(event.clientX - this.#pressed.left) < DRAG) return
    ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
    this.range = draggedRange(this.#pressed.place, place, axis)
  }

  /** The range that was dragged over; null where nothing was. */
  release(): ChartRange | null {
    const { range } = this
    this.#wasDragged ||= range !== null
    this.letGo()
    return range
  }

  /** Gives a drag up. */
  cancel(): void {
    this.#wasDragged = true
    this.letGo()
  }

  letGo(): void {
    this.#pressed = this.range = null
  }

  /** Calls `pick` for a click that is one. */
  click(event: MouseEvent, isRanged: boolean, pick: () => void): void {
    this.stop()
    if (this.#wasDragged || event.detail > 1) return
    if (isRanged) this.#picking = setTimeout(pick, SECOND_CLICK)
    else pick()
  }

  /** A click that still waits is none any more. */
  stop(): void {
    clearTimeout(this.#picking)
  }
}
