/** The symbols of the band of difficulty. */
import type { SymbolMeaning } from '../kit/math/links.svelte.ts'

export const BAND_SYMBOLS = {
  alphaLow: { means: 'accuracy up to which a task is made easier', hue: 'environment' },
  alphaHigh: { means: 'accuracy from which a task is made harder', hue: 'environment' },
} as const satisfies Record<string, SymbolMeaning>
export type BandSymbol = keyof typeof BAND_SYMBOLS
