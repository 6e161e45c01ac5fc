import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { iterationAxis } from '../../../../src/playground/kit/charts/chart-axis.ts'
import { ChartBrush } from '../../../../src/playground/kit/charts/chart-brush.svelte.ts'

const axis = iterationAxis(100)
const currentTarget = { setPointerCapture: () => {} }
const pointer = (clientX: number, more: object = {}) =>
  ({ clientX, button: 0, buttons: 1, pointerId: 1, currentTarget, ...more }) as unknown as PointerEvent
const click = (detail = 1) => ({ detail }) as MouseEvent

describe('a pointer on a chart', () => {
  let brush: ChartBrush
  let picked: number
  const pick = () => picked++
  beforeEach(() => {
    vi.useFakeTimers()
    brush = new ChartBrush()
    picked = 0
  })
  afterEach(() => vi.useRealTimers())

  it('clicks if it hardly moves', () => {
    brush.press(pointer(50), 10)
    brush.move(pointer(53), 11, axis)
    expect(brush.range).toBeNull()
    expect(brush.release()).toBeNull()
    brush.click(click(), false, pick)
    expect(picked).toBe(1)
  })

  it('drags a range if it moves, and ignores the click that follows', () => {
    brush.press(pointer(50), 10)
    brush.move(pointer(80), 20.4, axis)
    expect(brush.range).toEqual({ from: 10, to: 21 })
    expect(brush.release()).toEqual({ from: 10, to: 21 })
    expect(brush.range).toBeNull()
    brush.click(click(), true, pick)
    vi.runAllTimers()
    expect(picked).toBe(0)
    brush.press(pointer(50), 10)
    brush.release()
    brush.click(click(), false, pick)
    expect(picked).toBe(1)
  })

  it('discards a drag when cancelled or released outside', () => {
    brush.press(pointer(50), 10)
    brush.move(pointer(80), 20, axis)
    brush.cancel()
    expect(brush.release()).toBeNull()
    brush.click(click(), false, pick)
    expect(picked).toBe(0)
    brush.press(pointer(50), 10)
    brush.move(pointer(80, { buttons: 0 }), 20, axis)
    brush.move(pointer(90), 30, axis)
    expect(brush.range).toBeNull()
  })

  it('waits for a second click while a range is shown, and picks nothing on a double click', () => {
    brush.click(click(1), true, pick)
    brush.click(click(2), true, pick)
    vi.runAllTimers()
    expect(picked).toBe(0)
    brush.click(click(1), true, pick)
    expect(picked).toBe(0)
    vi.runAllTimers()
    expect(picked).toBe(1)
  })

  it('drags only with the primary button', () => {
    brush.press(pointer(50, { button: 2 }), 10)
    brush.move(pointer(80), 20, axis)
    expect(brush.range).toBeNull()
  })
})
