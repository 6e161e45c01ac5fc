/**
 * Tells clicks on a chart from drags over a range. While the chart shows a range, a click waits for a second one: a double
 * click shows the whole run again and must open nothing.
 */
import type { Axis } from './chart-axis.ts'
import { draggedRange, type ChartRange } from './chart-range.ts'

/** Pixels of movement that turn a press into a drag. */
const DRAG = 5
/** How long a click waits for a second one, in milliseconds. */
const SECOND_CLICK = 250

export class ChartBrush {
  /** The range of the current drag. */
  range = $state.raw<ChartRange | null>(null)
  /** The pixel in the window and the place on the axis where the pointer was pressed. */
  #pressed: { left: number; place: number } | null = null
  #wasDragged = false
  #picking: ReturnType<typeof setTimeout> | undefined

  press(event: PointerEvent, place: number): void {
    this.#wasDragged = false
    if (event.button === 0) this.#pressed = { left: event.clientX, place }
  }

  move(event: PointerEvent, place: number, axis: Axis): void {
    if (this.#pressed === null) return
    // Released outside the chart before it became a drag.
    if (event.buttons === 0) return this.letGo()
    if (this.range === null && Math.abs(event.clientX - this.#pressed.left) < DRAG) return
    ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
    this.range = draggedRange(this.#pressed.place, place, axis)
  }

  /** Ends a drag and returns its range; null for a click. */
  release(): ChartRange | null {
    const { range } = this
    this.#wasDragged ||= range !== null
    this.letGo()
    return range
  }

  /** Discards a drag. */
  cancel(): void {
    this.#wasDragged = true
    this.letGo()
  }

  letGo(): void {
    this.#pressed = this.range = null
  }

  /** Calls `pick` unless the click ends a drag or belongs to a double click. */
  click(event: MouseEvent, isRanged: boolean, pick: () => void): void {
    this.stop()
    if (this.#wasDragged || event.detail > 1) return
    if (isRanged) this.#picking = setTimeout(pick, SECOND_CLICK)
    else pick()
  }

  /** Discards a click that still waits for a second one. */
  stop(): void {
    clearTimeout(this.#picking)
  }
}
