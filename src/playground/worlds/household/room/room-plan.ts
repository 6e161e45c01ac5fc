/**
 * Where furniture stands in the drawing of a room. No log says that, so a plan is made by kind: counters, cabinets and beds along
 * the walls, tables in the middle. The same names always give the same plan, in which nothing overlaps and the agent can stand
 * in front of everything.
 */
import { footprintOf, type Footprint } from './furniture.ts'

export const ROOM = { width: 480, height: 300 } as const
/** Between the outline of the room and its furniture. */
const WALL = 6
/** Between neighbours along a wall, at least; a name fits into it. */
const GAP = 14
/** From the edge of furniture to an agent in front of it. */
const REACH = 24

export type Side = 'top' | 'right' | 'bottom' | 'left' | 'middle'

export interface PlacedFurniture {
  name: string
  /** The name without its number. */
  kind: string
  /** The wall at its back. */
  side: Side
  /** Centre. */
  x: number
  y: number
  /** Extent as seen with its back to the top; a side wall turns it by a quarter. */
  width: number
  depth: number
  /** Where the agent stands to use it. */
  front: { x: number; y: number }
  /** Whether its name fits beside the names of its neighbours. */
  isNamed: boolean
}

export const CENTRE = { x: ROOM.width / 2, y: ROOM.height / 2 } as const

/** One for each name, in the order of the names. */
export function roomPlan(names: readonly string[]): PlacedFurniture[] {
  const pieces = names.map((name) => ({ name, kind: kindOf(name), footprint: footprintOf(kindOf(name)) }))
  const middle = pieces.filter(({ footprint }) => footprint.isFree)
  const along = pieces
    .filter(({ footprint }) => !footprint.isFree)
    .sort((a, b) => a.footprint.order - b.footprint.order || a.name.localeCompare(b.name, 'en', { numeric: true }))
  const placed = [...alongWalls(along), ...inTheMiddle(middle)]
  return names.map((name) => placed.find((piece) => piece.name === name)!)
}

export function kindOf(name: string): string {
  return name.replace(/ \d+$/, '')
}

/** The rectangle that a piece covers. */
export function extentOf({ side, x, y, width, depth }: PlacedFurniture) {
  const isTurned = side === 'left' || side === 'right'
  const [w, h] = isTurned ? [depth, width] : [width, depth]
  return { left: x - w / 2, top: y - h / 2, right: x + w / 2, bottom: y + h / 2, width: w, height: h }
}

interface Piece {
  name: string
  kind: string
  footprint: Footprint
}

/** Width of a letter of a name. */
const LETTER = 6
/** Furniture of a small room is drawn larger. */
const LARGEST = 1.4
/** Deepest piece at a wall: the side walls leave room for it in the corners. */
const DEEPEST = 62

/** The walls in the order in which they are filled, from the middle of the left wall clockwise. */
function alongWalls(pieces: readonly Piece[]): PlacedFurniture[] {
  const across = ROOM.width - 2 * WALL
  const down = ROOM.height - 2 * (WALL + DEEPEST)
  const needed = pieces.reduce((sum, { footprint }) => sum + footprint.width + GAP, 0)
  const walls: { side: Exclude<Side, 'middle'>; length: number }[] =
    needed <= 0.9 * (across + 2 * down)
      ? [
          { side: 'left', length: down },
          { side: 'top', length: across },
          { side: 'right', length: down },
        ]
      : [
          { side: 'left', length: down },
          { side: 'top', length: across },
          { side: 'right', length: down },
          { side: 'bottom', length: across },
        ]
  const total = walls.reduce((sum, { length }) => sum + length, 0)
  // Rounding a wall's share may leave a tenth more on it than fits evenly.
  const scale = Math.min(LARGEST, (0.88 * total) / Math.max(1, needed))
  const queue = [...pieces]
  return walls.flatMap(({ side, length }, w) => {
    const rest = walls.slice(w).reduce((sum, wall) => sum + wall.length, 0)
    const restNeeded = queue.reduce((sum, { footprint }) => sum + scale * footprint.width + GAP, 0)
    const share = (restNeeded * length) / rest
    const own: Piece[] = []
    let used = 0
    while (queue.length > 0) {
      const next = scale * queue[0]!.footprint.width + GAP
      const isLast = w === walls.length - 1
      if (!isLast && own.length > 0 && used + next / 2 > share) break
      if (used + next > length && own.length > 0 && !isLast) break
      own.push(queue.shift()!)
      used += next
    }
    return spread(own, side, length, scale)
  })
}

function spread(
  pieces: readonly Piece[],
  side: Exclude<Side, 'middle'>,
  length: number,
  scale: number,
): PlacedFurniture[] {
  const wanted = pieces.reduce((sum, { footprint }) => sum + scale * footprint.width + GAP, 0)
  const own = scale * Math.min(1, length / Math.max(1, wanted))
  const used = pieces.reduce((sum, { footprint }) => sum + own * footprint.width, 0)
  const gap = (length - used) / (pieces.length + 1)
  let at = (side === 'top' || side === 'bottom' ? WALL : WALL + DEEPEST) + gap
  return pieces.map(({ name, kind, footprint }) => {
    const width = own * footprint.width
    const isNamed = side === 'left' || side === 'right' ? gap >= LETTER * 2 : name.length * LETTER <= width + gap
    const depth = Math.min(DEEPEST, Math.max(own, 0.7) * footprint.depth)
    const centre = at + width / 2
    at += width + gap
    const off = WALL + depth / 2
    const front = WALL + depth + REACH
    const place = {
      left: { x: off, y: ROOM.height - centre, front: { x: front, y: ROOM.height - centre } },
      right: { x: ROOM.width - off, y: centre, front: { x: ROOM.width - front, y: centre } },
      top: { x: centre, y: off, front: { x: centre, y: front } },
      bottom: {
        x: ROOM.width - centre,
        y: ROOM.height - off,
        front: { x: ROOM.width - centre, y: ROOM.height - front },
      },
    }[side]
    return { name, kind, side, width, depth, isNamed, ...place }
  })
}

/** Free pieces in a row across the middle, a little below the centre, where the agent starts. */
function inTheMiddle(pieces: readonly Piece[]): PlacedFurniture[] {
  const length = ROOM.width - 2 * (WALL + DEEPEST + 2 * REACH)
  const used = pieces.reduce((sum, { footprint }) => sum + footprint.width, 0)
  const scale = Math.min(1, (length - GAP * (pieces.length + 1)) / Math.max(1, used))
  const gap = (length - scale * used) / (pieces.length + 1)
  let at = (ROOM.width - length) / 2 + gap
  return pieces.map(({ name, kind, footprint }) => {
    const width = scale * footprint.width
    const depth = Math.max(scale, 0.6) * footprint.depth
    const x = at + width / 2
    at += width + gap
    const y = ROOM.height * 0.64
    return { name, kind, side: 'middle', x, y, width, depth, isNamed: true, front: { x, y: y - depth / 2 - REACH } }
  })
}
