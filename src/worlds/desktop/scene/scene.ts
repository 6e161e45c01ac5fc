/**
 * The screen: every element with its place on a grid of 640 × 480 whole pixels. Marks, tables, drawings and clicks on points all come
 * from this one layout; the text for tiny models lists the same elements in the same order.
 *
 *     dock (left: 80 wide, or bottom: 40 high) | title 24 | pages, a list of 120 | items | row of buttons 32
 */
import { SHEET } from '../engine/facts.ts'
import { COLUMNS, elementsOf, HEADERS, type Element, type Region } from '../engine/elements.ts'
import type { DesktopState } from '../engine/state.ts'

export const WIDTH = 640
export const HEIGHT = 480

export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

export interface SceneElement extends Element {
  /** Its number as a mark: 1 for the first. */
  mark: number
  place: Rectangle
}

export const DOCK_WIDTH = 80
export const DOCK_HEIGHT = 40
export const TITLE_HEIGHT = 24
const PAGES_WIDTH = 120
const BUTTONS_HEIGHT = 32
const ROW = 24
const CELL_WIDTH = 104
const LEVEL_BUTTON = 24
export const DIALOG: Rectangle = { x: 160, y: 96, width: 320, height: 288 }

/** Everything that can be seen, in reading order. A dialog covers the rest. */
export function scene(state: DesktopState): SceneElement[] {
  const elements = elementsOf(state)
  const counts = new Map<Region, number>()
  return elements.map((element, index) => {
    const order = counts.get(element.region) ?? 0
    counts.set(element.region, order + 1)
    const inRegion = () => elements.filter(({ region }) => region === element.region).length
    return { ...element, mark: index + 1, place: placeOf(state, element, order, inRegion) }
  })
}

function placeOf(state: DesktopState, element: Element, order: number, count: () => number): Rectangle {
  const isLeft = state.game.layout.dock === 'left'
  const window: Rectangle = isLeft
    ? { x: DOCK_WIDTH, y: TITLE_HEIGHT, width: WIDTH - DOCK_WIDTH, height: HEIGHT - TITLE_HEIGHT }
    : { x: 0, y: TITLE_HEIGHT, width: WIDTH, height: HEIGHT - TITLE_HEIGHT - DOCK_HEIGHT }
  switch (element.region) {
    case 'dock': {
      const width = Math.floor(WIDTH / count())
      return isLeft
        ? { x: 0, y: TITLE_HEIGHT + order * 48, width: DOCK_WIDTH, height: 40 }
        : { x: order * width, y: HEIGHT - DOCK_HEIGHT, width, height: DOCK_HEIGHT }
    }
    case 'pages':
      return { x: window.x, y: window.y + BUTTONS_HEIGHT + order * (ROW + 4), width: PAGES_WIDTH, height: ROW }
    case 'buttons': {
      const width = Math.floor(window.width / count())
      return { x: window.x + order * width, y: window.y, width, height: BUTTONS_HEIGHT - 4 }
    }
    case 'items':
      return itemPlace(state, element, order, window)
    case 'dialog':
      return dialogPlace(element, order, count())
  }
}

function itemPlace(state: DesktopState, element: Element, order: number, window: Rectangle): Rectangle {
  const x = window.x + PAGES_WIDTH + 8
  const y = window.y + BUTTONS_HEIGHT
  const width = window.width - PAGES_WIDTH - 16
  if (state.front === SHEET && element.effect.kind === 'item') {
    const { item } = element.effect
    const row = item >= HEADERS ? 0 : Math.floor(item / COLUMNS) + 1
    const column = item >= HEADERS ? item - HEADERS : item % COLUMNS
    return { x: x + column * CELL_WIDTH, y: y + row * ROW, width: CELL_WIDTH - 2, height: ROW - 2 }
  }
  // The buttons of a level are in its row, at the end.
  if (element.effect.kind === 'control' && element.effect.change !== 0) {
    const isMore = element.effect.change === 1
    const row = order - (isMore ? 1 : 2)
    const right = x + width - (isMore ? LEVEL_BUTTON : 2 * LEVEL_BUTTON + 4)
    return { x: right, y: y + row * ROW, width: LEVEL_BUTTON, height: ROW - 2 }
  }
  const isLevel = element.role === 'label' && element.text !== ''
  return { x, y: y + order * ROW, width: isLevel ? width - 2 * LEVEL_BUTTON - 8 : width, height: ROW - 2 }
}

/** Fields and entries one below the other; the buttons that close the dialog side by side at its end. */
function dialogPlace({ effect }: Element, order: number, count: number): Rectangle {
  const isClosing = effect.kind === 'ok' || effect.kind === 'cancel'
  if (!isClosing) return { x: DIALOG.x + 16, y: DIALOG.y + 16 + order * 28, width: DIALOG.width - 32, height: 24 }
  const isLast = order === count - 1
  return { x: DIALOG.x + (isLast ? 168 : 16), y: DIALOG.y + DIALOG.height - 40, width: 136, height: 28 }
}

/** The element at a point of the grid; null where there is none. */
export function elementAt(elements: readonly SceneElement[], x: number, y: number): SceneElement | null {
  return elements.find(({ place }) => isInside(place, x, y)) ?? null
}

const isInside = ({ x, y, width, height }: Rectangle, px: number, py: number): boolean =>
  px >= x && py >= y && px < x + width && py < y + height

export const centreOf = ({ x, y, width, height }: Rectangle): { x: number; y: number } => ({
  x: x + (width >> 1),
  y: y + (height >> 1),
})
