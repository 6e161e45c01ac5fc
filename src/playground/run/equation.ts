/**
 * The method's equations with one step's own numbers:
 *
 *     R_i = O + (λ / m) Σ_j S_ij      A_i = (R_i - mean) / std      R_S_ij = R_i · S_ij
 *
 * and in the coding world, where one test scores all n programs, R_S_j = 1/n Σ_i R_i S_ij. Each line comes twice, in symbols
 * and in numbers, in the notation of kit/math/formula.ts; a symbol and its number have one id. The numbers come from src/method;
 * only the mean and the spread that a line shows are computed here.
 */
import type { AdvantageSettings, GroupAdvantages } from '../../method/advantages.ts'
import { consistencyFeedback, integratedFeedback } from '../../method/feedback.ts'
import type { BatchGroup } from '../../runs/batch.ts'
import { compact, decimal, signed } from '../kit/format.ts'
import type { SymbolMeaning } from '../kit/math/links.svelte.ts'

export const SYMBOLS = {
  O: { means: 'outcome of the trajectory', hue: 'environment' },
  lambda: { means: 'weight of the votes' },
  m: { means: 'readable votes', hue: 'reward' },
  S: { means: 'votes of the reward model', hue: 'reward' },
  R: { means: 'feedback of the step' },
  mean: { means: 'mean of R over what the step is compared with' },
  std: { means: 'standard deviation of R over what the step is compared with' },
  A: { means: 'advantage that trains the policy', hue: 'policy' },
  RS: { means: 'worth of each vote', hue: 'reward' },
  AS: { means: 'advantage that trains the reward model', hue: 'reward' },
  hidden: { means: 'share of the hidden tests that the program passes', hue: 'environment' },
} as const satisfies Record<string, SymbolMeaning>
export type SymbolId = keyof typeof SYMBOLS

export type EquationValues = Readonly<Partial<Record<SymbolId, string>>>

export interface EquationLine {
  /** In the notation of kit/math/formula.ts. */
  symbols: string
  numbers: string
  /** The number of each symbol. */
  values: EquationValues
  /** Explains the numbers where the formula does not. */
  note: string | null
}

interface ChosenStep {
  trajectory: number
  step: number
  /** Index of the written test, for programs. */
  test: number
}

/** A line from its shape, "#R = #O", and from what each of its symbols is written as and equals. */
function line(
  shape: string,
  parts: Partial<Record<SymbolId, readonly [symbol: string, number: string]>>,
  note: string | null,
): EquationLine {
  const entries = Object.entries(parts) as [SymbolId, readonly [string, string]][]
  const fill = (write: (part: readonly [string, string]) => string) =>
    shape.replaceAll(/#(\w+)/g, (_, id: SymbolId) => `#${id}{${write(parts[id]!)}}`)
  return {
    symbols: fill(([symbol]) => symbol),
    numbers: fill(([, number]) => `"${number}"`),
    values: Object.fromEntries(entries.map(([id, [, number]]) => [id, number])),
    note,
  }
}

/** More numbers than this are counted, not listed. */
const MOST_LISTED = 5

/** "+1 +1 −1", or "20 × +1, 12 × −1" of many. */
function listed(numbers: readonly string[]): string {
  if (numbers.length === 0) return '–'
  if (numbers.length <= MOST_LISTED) return numbers.join(' ')
  const counts = new Map<string, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].map(([number, count]) => `${count} × ${number}`).join(', ')
}
const inBrackets = (scores: readonly number[]) => `(${listed(scores.map((score) => signed(score, 0)))})`

/** Null if there is no such step. */
export function equationLines(
  group: BatchGroup,
  derived: GroupAdvantages,
  settings: AdvantageSettings,
  chosen: ChosenStep,
): EquationLine[] | null {
  if (group.scores[chosen.trajectory]?.[chosen.step] === undefined) return null
  return [
    feedbackLine(group, derived, settings, chosen),
    advantageLine(derived, settings, chosen),
    ...(group.kind === 'steps'
      ? [voteLine(group, derived, settings, chosen)]
      : derived.tests
        ? [testLine(group, derived, settings, chosen)]
        : []),
  ]
}

function feedbackLine(
  group: BatchGroup,
  derived: GroupAdvantages,
  settings: AdvantageSettings,
  { trajectory, step }: ChosenStep,
): EquationLine {
  const R = ['R', signed(derived.feedback[trajectory]![step])] as const
  if (group.kind === 'programs' && settings.profile === 'reference') {
    return line(
      '#R = #hidden',
      { R, hidden: ['"hidden tests passed"', decimal(group.passRatios[trajectory])] },
      'The released code trains the policy on the hidden tests alone; it knows neither λ nor the written tests here.',
    )
  }
  const scores = group.scores[trajectory]![step]!
  const readable = settings.profile === 'reference' ? scores : scores.filter((score) => score !== 0)
  const unread = scores.length - readable.length
  const O = ['O', signed(group.outcomes[trajectory], 0)] as const
  const S = ['Σ S', readable.length === 0 ? '0' : inBrackets(readable)] as const
  const m = ['m', String(Math.max(1, readable.length))] as const
  const note =
    scores.length === 0
      ? 'This step was not judged, so S counts 0.'
      : unread > 0
        ? `${unread} of ${scores.length} ${group.kind === 'programs' ? 'tests' : 'votes'} cannot be read and are left out.`
        : null
  switch (settings.signal) {
    case 'outcome':
      return line(
        '#R = #O',
        { R, O },
        'The policy learns from outcomes alone: every step of a trajectory gets the same R.',
      )
    case 'step':
      return line('#R = {1}/{#m} #S', { R, m, S }, note)
    case 'integrated':
      return line('#R = #O + {#lambda}/{#m} #S', { R, O, lambda: ['λ', compact(settings.lambda)], m, S }, note)
  }
}

function advantageLine(
  { feedback, policy }: GroupAdvantages,
  settings: AdvantageSettings,
  { trajectory, step }: ChosenStep,
): EquationLine {
  const column = feedback.flatMap((row) => (row[step] === undefined ? [] : [row[step]]))
  const { mean, std } = spread(column)
  const a = policy[trajectory]![step] ?? null
  const r = feedback[trajectory]![step]!
  const others = column.length - 1
  const note =
    others === 0
      ? `No other trajectory reached this step: ${a === null ? 'it does not train' : 'its R is taken as it is'}.`
      : a === null
        ? std === 0
          ? 'All that it is compared with got the same R, so it does not train.'
          : "It does not train: it is exactly average, its task's accuracy is filtered out, or its rewrite was rejected."
        : null
  const parts = {
    A: ['A', signed(a)],
    R: ['R', signed(r)],
    mean: ['mean R', signed(mean)],
  } as const
  return settings.normAdvByStd
    ? line('#A = {#R − #mean}/{#std}', { ...parts, std: ['std R', decimal(std)] }, note)
    : line('#A = #R − #mean', parts, note)
}

function voteLine(
  group: BatchGroup,
  { reward }: GroupAdvantages,
  settings: AdvantageSettings,
  { trajectory, step }: ChosenStep,
): EquationLine {
  const scores = group.scores[trajectory]![step]!
  // O and S together define the worth of a vote, whichever signal the policy gets (feedback.ts).
  const integrated = integratedFeedback(group.outcomes[trajectory]!, scores, { ...settings, signal: 'integrated' })
  const worth = consistencyFeedback(group.outcomes[trajectory]!, scores, settings)
  const advantages = reward[trajectory]![step]!
  const trained = advantages.filter((value) => value !== null)
  return line(
    '#RS = #R · #S → #AS',
    {
      RS: ['R_{S j}', listed(worth.map((value) => signed(value)))],
      R: ['R', signed(integrated)],
      S: ['S_j', inBrackets(scores)],
      AS: ['A_{S j}', listed(advantages.map((value) => signed(value)))],
    },
    scores.length > 0 && trained.length === 0
      ? 'None of these votes trains the reward model: they equal those they are compared with, or the task is outside its filter.'
      : null,
  )
}

function testLine(
  group: BatchGroup,
  { tests }: GroupAdvantages,
  settings: AdvantageSettings,
  { test }: ChosenStep,
): EquationLine {
  const scores = group.scores.map((row) => row[0]![test] ?? 0)
  const integrated = group.outcomes.map((outcome, program) =>
    integratedFeedback(outcome, group.scores[program]![0]!, { ...settings, signal: 'integrated' }),
  )
  const advantage = tests!.reward[test] ?? null
  const RS = [`R_{S ${test + 1}}`, signed(tests!.feedback[test])] as const
  const S = [`S_{i ${test + 1}}`, `(${scores.map((score) => signed(score, 0)).join(' ')})`] as const
  const AS = [`A_{S ${test + 1}}`, signed(advantage)] as const
  if (settings.profile === 'reference') {
    return line(
      '#RS "counted over" #S → #AS',
      { RS, S, AS },
      'A test that all correct programs pass is worth the wrong programs that it fails; any other costs the wrong ones that it lets pass.',
    )
  }
  return line(
    `#RS = {1}/{${scores.length}} Σ_i #R · #S → #AS`,
    { RS, R: ['R_i', `(${integrated.map((value) => signed(value)).join(' ')})`], S, AS },
    advantage === null
      ? 'This test does not train the reward model: it is worth as much as the others, or the accuracy of the problem is outside its filter.'
      : null,
  )
}

function spread(values: readonly number[]): { mean: number; std: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return { mean, std }
}
