/** Windows, colours and motion in which the page is drawn. */
export interface Look {
  width: number
  height: number
  /** Device pixels to a pixel of the page: 2 in half a window is the page at 200 %. */
  scale?: number
  colorScheme?: 'light' | 'dark'
  forcedColors?: 'active'
  reducedMotion?: 'reduce'
}

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 390, height: 844 }

export const LOOKS = {
  'wide-light': WIDE,
  'wide-dark': { ...WIDE, colorScheme: 'dark' },
  'narrow-light': NARROW,
  'narrow-dark': { ...NARROW, colorScheme: 'dark' },
  projector: { width: 1280, height: 720, scale: 1.5 },
  zoom: { width: 640, height: 400, scale: 2 },
  'forced-colours': { ...WIDE, forcedColors: 'active' },
  still: { ...WIDE, reducedMotion: 'reduce' },
} as const satisfies Record<string, Look>

export type LookName = keyof typeof LOOKS
export const LOOK_NAMES = Object.keys(LOOKS) as LookName[]
/** Drawn in every world; the others only in the first, unless they are asked for. */
export const MAIN_LOOKS: readonly LookName[] = ['wide-light', 'wide-dark', 'narrow-light', 'narrow-dark']
