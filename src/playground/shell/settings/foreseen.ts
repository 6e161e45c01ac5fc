/** Settings whose effect can be told from what is there already (change-forecast.ts, which is loaded when one is moved). */
import type { Settings } from '../../../method/settings.ts'

export const FORESEEN = ['lambda', 'signal', 'alphaLow', 'alphaHigh'] as const satisfies readonly (keyof Settings)[]
export type Foreseen = (typeof FORESEEN)[number]

export function isForeseen(name: keyof Settings): name is Foreseen {
  return (FORESEEN as readonly string[]).includes(name)
}
