/** Draws a screen in pixels, for models that see pictures. Plain and sharp: every dot of the grid of 640 × 480 is SCALE pixels wide. */
import { DIALOG, DOCK_HEIGHT, DOCK_WIDTH, HEIGHT, TITLE_HEIGHT, WIDTH, type Rectangle } from '../scene/scene.ts'
import type { Picture, PictureElement } from './description.ts'
import { ADVANCE, GLYPH_HEIGHT, GLYPH_WIDTH, glyphOf } from './font.ts'

export const SCALE = 2

export interface Pixels {
  width: number
  height: number
  /** Red, green and blue of each pixel, row by row. */
  rgb: Uint8Array
}

type Colour = readonly [red: number, green: number, blue: number]
const INK: Colour = [28, 32, 36]
const FAINT: Colour = [110, 118, 126]
const WHITE: Colour = [255, 255, 255]
const WALL: Colour = [176, 196, 208]
const DOCK: Colour = [226, 232, 236]
const LINE: Colour = [150, 158, 166]
const BUTTON: Colour = [232, 236, 240]
const SELECTED: Colour = [190, 216, 250]
const LINK: Colour = [20, 80, 190]
const ON: Colour = [40, 140, 80]

class Canvas {
  readonly pixels: Pixels = {
    width: WIDTH * SCALE,
    height: HEIGHT * SCALE,
    rgb: new Uint8Array(WIDTH * SCALE * HEIGHT * SCALE * 3),
  }

  fill({ x, y, width, height }: Rectangle, [red, green, blue]: Colour): void {
    const { rgb, width: across, height: down } = this.pixels
    for (let row = Math.max(0, y * SCALE); row < Math.min(down, (y + height) * SCALE); row++) {
      for (let column = Math.max(0, x * SCALE); column < Math.min(across, (x + width) * SCALE); column++) {
        const at = 3 * (row * across + column)
        rgb[at] = red
        rgb[at + 1] = green
        rgb[at + 2] = blue
      }
    }
  }

  frame(place: Rectangle, line: Colour, inside: Colour): void {
    const { x, y, width, height } = place
    this.fill(place, line)
    this.fill({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 }, inside)
  }

  /** From the left edge at `x`, centred on `middle`, cut to `room`. */
  write(text: string, x: number, middle: number, room: number, colour: Colour = INK): void {
    const top = middle - Math.floor(GLYPH_HEIGHT / 2)
    Array.from(text)
      .slice(0, Math.floor(room / ADVANCE))
      .forEach((letter, index) => {
        glyphOf(letter).forEach((dots, row) => {
          for (let dot = 0; dot < GLYPH_WIDTH; dot++)
            if (dots & (1 << (GLYPH_WIDTH - 1 - dot)))
              this.fill({ x: x + index * ADVANCE + dot, y: top + row, width: 1, height: 1 }, colour)
        })
      })
  }

  writeCentred(text: string, { x, y, width, height }: Rectangle): void {
    const room = width - 4
    const taken = Math.min(room, Array.from(text).length * ADVANCE)
    this.write(text, x + Math.floor((width - taken) / 2), y + Math.floor(height / 2), room)
  }
}

export function drawScreen({ dock, hasDialog, title, elements }: Picture): Pixels {
  const canvas = new Canvas()
  const isLeft = dock === 'left'
  const left = isLeft ? DOCK_WIDTH : 0
  const bottom = isLeft ? HEIGHT : HEIGHT - DOCK_HEIGHT
  canvas.fill({ x: 0, y: 0, width: WIDTH, height: HEIGHT }, WALL)
  canvas.fill(
    isLeft
      ? { x: 0, y: 0, width: DOCK_WIDTH, height: HEIGHT }
      : { x: 0, y: HEIGHT - DOCK_HEIGHT, width: WIDTH, height: DOCK_HEIGHT },
    DOCK,
  )
  if (title !== '') {
    canvas.fill({ x: left, y: 0, width: WIDTH - left, height: bottom }, WHITE)
    const bar = { x: left, y: 0, width: WIDTH - left, height: TITLE_HEIGHT - 2 }
    canvas.fill(bar, DOCK)
    canvas.writeCentred(title, bar)
  }
  if (hasDialog) canvas.frame(DIALOG, LINE, WHITE)
  for (const element of elements) drawElement(canvas, element)
  return canvas.pixels
}

function drawElement(canvas: Canvas, { role, name, text, isSelected, place }: PictureElement): void {
  const { x, y, width, height } = place
  const middle = y + Math.floor(height / 2)
  const right: Rectangle = {
    x: x + Math.floor(width / 2),
    y: y + 2,
    width: Math.ceil(width / 2) - 2,
    height: height - 4,
  }
  switch (role) {
    case 'page-tab':
    case 'push-button':
    case 'toggle-button':
      canvas.frame({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 }, LINE, isSelected ? SELECTED : BUTTON)
      canvas.writeCentred(name, place)
      return
    case 'entry':
      canvas.write(name, x, middle, 40)
      canvas.frame({ x: x + 44, y, width: width - 44, height }, isSelected ? LINK : LINE, WHITE)
      canvas.write(text, x + 50, middle, width - 56)
      return
    case 'table-cell':
    case 'column-header':
      canvas.frame(place, LINE, isSelected ? SELECTED : role === 'column-header' ? BUTTON : WHITE)
      canvas.write(role === 'table-cell' ? text : [name, text].filter(Boolean).join(', '), x + 5, middle, width - 10)
      return
    case 'check-box':
    case 'combo-box':
      canvas.write(name, x + 8, middle, Math.floor(width / 2) - 12)
      canvas.frame(right, LINE, role === 'check-box' && text.startsWith('on') ? ON : WHITE)
      canvas.write(text, right.x + 6, middle, right.width - 12, text.startsWith('on') ? WHITE : INK)
      return
    case 'radio-button':
      canvas.frame({ x: x + 4, y: middle - 5, width: 11, height: 11 }, LINE, isSelected ? LINK : WHITE)
      canvas.write(name, x + 22, middle, width - 26)
      return
    case 'link':
    case 'list-item':
    case 'label':
      if (isSelected) canvas.fill(place, SELECTED)
      canvas.write(name, x + 8, middle, width - 12, role === 'link' ? LINK : INK)
      canvas.write(text, x + 8 + (name.length + 2) * ADVANCE, middle, width - 20 - name.length * ADVANCE, FAINT)
  }
}
