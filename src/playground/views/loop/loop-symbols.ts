/** The symbols of the loop's diagram: one for each arrow, and those of the formula where outcomes and votes meet. */
import type { Hue, SymbolMeaning } from '../../kit/math/links.svelte.ts'

export const FLOWS = ['actions', 'tasks', 'outcome', 'steps', 'score', 'advantage', 'consistency', 'critic'] as const
export type FlowId = (typeof FLOWS)[number]

export type LoopSymbol = FlowId | 'feedback' | 'lambda'

export const LOOP_SYMBOLS: Readonly<Record<LoopSymbol, SymbolMeaning>> = {
  actions: { means: 'what the policy does', hue: 'policy' },
  tasks: { means: 'tasks', hue: 'environment' },
  outcome: { means: 'outcome of a rollout', hue: 'environment' },
  steps: { means: 'what the reward model judges', hue: 'policy' },
  score: { means: 'mean vote on a step', hue: 'reward' },
  advantage: { means: 'what trains the policy' },
  consistency: { means: 'what trains the reward model' },
  critic: { means: 'accuracy of a task', hue: 'reward' },
  feedback: { means: 'feedback of a step' },
  lambda: { means: 'weight of the votes' },
}

/** An arrow has the colour of the component whose number it carries, or that of feedback. */
export function hueOf(id: FlowId): Hue | 'feedback' {
  return LOOP_SYMBOLS[id].hue ?? 'feedback'
}

const IN_FORMULA: Readonly<Record<string, LoopSymbol>> = { R: 'feedback', O: 'outcome', λ: 'lambda', S̄: 'score' }

/** A formula of the junction with its symbols linked (kit/math/formula.ts). */
export function linked(formula: string): string {
  return formula.replaceAll(/R|O|λ|S\u0304/gu, (symbol) => `#${IN_FORMULA[symbol]!}{${symbol}}`)
}
