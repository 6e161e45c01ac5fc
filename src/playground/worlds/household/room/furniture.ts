/** Kinds of furniture as seen from above: how large they are, and in which order they stand along the walls. */
export interface Footprint {
  /** Along the wall. */
  width: number
  /** Away from the wall. */
  depth: number
  /** Whether it stands in the middle of the room. */
  isFree: boolean
  /** Smaller numbers come first along the walls, so that what belongs together stands together. */
  order: number
}

/** width, depth, and the place in the order; free pieces have none. */
const AT_WALL: Readonly<Record<string, readonly [width: number, depth: number]>> = {
  bed: [104, 58],
  sidetable: [40, 36],
  dresser: [84, 34],
  drawer: [44, 32],
  cabinet: [58, 34],
  shelf: [66, 20],
  countertop: [96, 42],
  sinkbasin: [62, 42],
  toaster: [36, 30],
  coffeemachine: [36, 34],
  stoveburner: [40, 42],
  microwave: [50, 34],
  fridge: [56, 52],
  bathtubbasin: [112, 52],
  toilet: [38, 50],
  toiletpaperhanger: [24, 16],
  towelholder: [54, 14],
  handtowelholder: [34, 14],
  paintinghanger: [40, 12],
  desk: [98, 44],
  armchair: [54, 50],
  sofa: [112, 50],
  tvstand: [96, 32],
  safe: [38, 36],
  cart: [50, 34],
  laundryhamper: [38, 36],
  garbagecan: [32, 32],
}
const FREE: Readonly<Record<string, readonly [width: number, depth: number]>> = {
  diningtable: [120, 64],
  coffeetable: [96, 46],
  ottoman: [50, 40],
}
/** A kind that the list does not know is drawn as a plain piece. */
const UNKNOWN = [52, 36] as const
const ORDER = Object.keys(AT_WALL)

export function footprintOf(kind: string): Footprint {
  const free = FREE[kind]
  const [width, depth] = free ?? AT_WALL[kind] ?? UNKNOWN
  const order = ORDER.indexOf(kind)
  return { width, depth, isFree: free !== undefined, order: order < 0 ? ORDER.length : order }
}

/** Shapes of things as seen from above. */
export type ThingShape = 'round' | 'cup' | 'dish' | 'flat' | 'cloth' | 'long' | 'bottle' | 'box'

const SHAPES: Readonly<Record<Exclude<ThingShape, 'box'>, string>> = {
  round: 'apple tomato potato egg lettuce bread basketball soapbar dishsponge',
  cup: 'mug cup bowl kettle pot glassbottle vase',
  dish: 'plate pan cd watch alarmclock',
  flat: 'book laptop newspaper creditcard cellphone remotecontrol pillow tissuebox',
  cloth: 'cloth handtowel towel papertowelroll toiletpaper',
  long: 'knife butterknife fork spoon spatula ladle pen pencil candle baseballbat tennisracket keychain',
  bottle: 'soapbottle spraybottle saltshaker peppershaker winebottle wateringcan statue desklamp floorlamp',
}
const SHAPE_OF = new Map(
  Object.entries(SHAPES).flatMap(([shape, kinds]) => kinds.split(' ').map((kind) => [kind, shape as ThingShape])),
)

export function shapeOf(kind: string): ThingShape {
  return SHAPE_OF.get(kind) ?? 'box'
}
