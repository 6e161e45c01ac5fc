/** Settings whose effect can be predicted from the run on show (change-forecast.ts, loaded when one changes). */
import type { Settings } from '../../../method/settings.ts'

const FORESEEN = ['lambda', 'signal', 'alphaLow', 'alphaHigh'] as const satisfies readonly (keyof Settings)[]
export type Foreseen = (typeof FORESEEN)[number]

export function isForeseen(name: keyof Settings): name is Foreseen {
  return (FORESEEN as readonly string[]).includes(name)
}
