/** The symbols of the theory. */
import type { SymbolMeaning } from '../../kit/math/links.svelte.ts'

export const THEORY_SYMBOLS = {
  plus: { means: 'correct votes on successes', hue: 'reward' },
  minus: { means: 'correct votes on failures', hue: 'reward' },
  accuracy: { means: 'accuracy of a task', hue: 'environment' },
  m: { means: 'votes on a step', hue: 'reward' },
  lambda: { means: 'weight of the votes' },
  mu: { means: 'precision of the votes', hue: 'reward' },
  signal: { means: 'mean vote on successes less that on failures', hue: 'reward' },
  bound: { means: 'probability that the votes rank success first', hue: 'reward' },
  grounded: { means: 'agreement of a vote with the outcome', hue: 'environment' },
  consistency: { means: 'agreement of a vote with the other votes on its step', hue: 'reward' },
  worth: { means: 'what a vote earns', hue: 'reward' },
} as const satisfies Record<string, SymbolMeaning>
export type TheorySymbol = keyof typeof THEORY_SYMBOLS
