/**
 * The method's equations with one step's own numbers:
 *
 *     R_i = O + (λ / m) Σ_j S_ij      A_i = (R_i - mean) / std      R_S_ij = R_i · S_ij
 *
 * and in the coding world, where one test scores all n programs, R_S_j = 1/n Σ_i R_i S_ij. Each line comes twice, in symbols
 * and in numbers; pieces with the same id belong together. The numbers come from src/method; only the mean and the spread
 * that a line shows are computed here.
 */
import type { AdvantageSettings, GroupAdvantages } from '../../method/advantages.ts'
import { consistencyFeedback, integratedFeedback } from '../../method/feedback.ts'
import type { BatchGroup } from '../../runs/batch.ts'
import { compact, decimal, signed } from '../kit/format.ts'

export const SYMBOLS = {
  O: 'outcome of the trajectory',
  lambda: 'weight of the votes',
  m: 'readable votes',
  S: 'votes of the reward model',
  R: 'feedback of the step',
  mean: 'mean of R over what the step is compared with',
  std: 'standard deviation of R over what the step is compared with',
  A: 'advantage that trains the policy',
  RS: 'worth of each vote',
  AS: 'advantage that trains the reward model',
  hidden: 'share of the hidden tests that the program passes',
} as const
export type SymbolId = keyof typeof SYMBOLS

export interface Piece {
  /** Null for operators and brackets. */
  id: SymbolId | null
  text: string
}

export interface EquationLine {
  symbols: Piece[]
  numbers: Piece[]
  /** Explains the numbers where the formula does not. */
  note: string | null
}

export interface ChosenStep {
  trajectory: number
  step: number
  /** Index of the written test, for programs. */
  test: number
}

const glue = (text: string): Piece => ({ id: null, text })
const piece = (id: SymbolId, text: string): Piece => ({ id, text })

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
  const r = piece('R', signed(derived.feedback[trajectory]![step]))
  if (group.kind === 'programs' && settings.profile === 'reference') {
    return {
      symbols: [piece('R', 'R'), glue('='), piece('hidden', 'hidden tests passed')],
      numbers: [r, glue('='), piece('hidden', decimal(group.passRatios[trajectory]))],
      note: 'The released code trains the policy on the hidden tests alone; it knows neither λ nor the written tests here.',
    }
  }
  const scores = group.scores[trajectory]![step]!
  const readable = settings.profile === 'reference' ? scores : scores.filter((score) => score !== 0)
  const unread = scores.length - readable.length
  const o = piece('O', signed(group.outcomes[trajectory], 0))
  const votes = piece('S', readable.length === 0 ? '0' : `(${readable.map((score) => signed(score, 0)).join(' ')})`)
  const count = piece('m', String(Math.max(1, readable.length)))
  const note =
    scores.length === 0
      ? 'This step was not judged, so S counts 0.'
      : unread > 0
        ? `${unread} of ${scores.length} ${group.kind === 'programs' ? 'tests' : 'votes'} cannot be read and are left out.`
        : null
  switch (settings.signal) {
    case 'outcome':
      return {
        symbols: [piece('R', 'R'), glue('='), piece('O', 'O')],
        numbers: [r, glue('='), o],
        note: 'The policy learns from outcomes alone: every step of a trajectory gets the same R.',
      }
    case 'step':
      return {
        symbols: [piece('R', 'R'), glue('= (1 /'), piece('m', 'm'), glue(')'), piece('S', 'Σ S')],
        numbers: [r, glue('= (1 /'), count, glue(')'), votes],
        note,
      }
    case 'integrated':
      return {
        symbols: [
          piece('R', 'R'),
          glue('='),
          piece('O', 'O'),
          glue('+ ('),
          piece('lambda', 'λ'),
          glue('/'),
          piece('m', 'm'),
          glue(')'),
          piece('S', 'Σ S'),
        ],
        numbers: [
          r,
          glue('='),
          o,
          glue('+ ('),
          piece('lambda', compact(settings.lambda)),
          glue('/'),
          count,
          glue(')'),
          votes,
        ],
        note,
      }
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
          : "It does not train: it is exactly average, its task's accuracy is filtered out, or its rewrite was not accepted."
        : null
  const top = { symbols: [piece('R', 'R'), glue('−'), piece('mean', 'mean')] }
  const numbers = [piece('R', signed(r)), glue('−'), piece('mean', signed(mean))]
  return {
    symbols: settings.normAdvByStd
      ? [piece('A', 'A'), glue('= ('), ...top.symbols, glue(') /'), piece('std', 'std')]
      : [piece('A', 'A'), glue('='), ...top.symbols],
    numbers: settings.normAdvByStd
      ? [piece('A', signed(a)), glue('= ('), ...numbers, glue(') /'), piece('std', decimal(std))]
      : [piece('A', signed(a)), glue('='), ...numbers],
    note,
  }
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
  return {
    symbols: [
      piece('RS', 'R·S'),
      glue('='),
      piece('R', 'R'),
      glue('·'),
      piece('S', 'S'),
      glue('→'),
      piece('AS', 'A of each vote'),
    ],
    numbers: [
      piece('RS', worth.map((value) => signed(value)).join(' ') || '–'),
      glue('='),
      piece('R', signed(integrated)),
      glue('·'),
      piece('S', `(${scores.map((score) => signed(score, 0)).join(' ') || '–'})`),
      glue('→'),
      piece('AS', advantages.map((value) => signed(value)).join(' ') || '–'),
    ],
    note:
      scores.length > 0 && trained.length === 0
        ? 'None of these votes trains the reward model: they equal those they are compared with, or the task is outside its filter.'
        : null,
  }
}

function testLine(
  group: BatchGroup,
  { tests }: GroupAdvantages,
  settings: AdvantageSettings,
  { test }: ChosenStep,
): EquationLine {
  const worth = tests!.feedback[test]
  const scores = group.scores.map((row) => row[0]![test] ?? 0)
  const isReference = settings.profile === 'reference'
  const integrated = group.outcomes.map((outcome, program) =>
    integratedFeedback(outcome, group.scores[program]![0]!, { ...settings, signal: 'integrated' }),
  )
  const signs = piece('S', `(${scores.map((score) => signed(score, 0)).join(' ')})`)
  const advantage = tests!.reward[test] ?? null
  const products = isReference
    ? [glue('counted over'), signs]
    : [
        glue(`= 1/${scores.length} ·`),
        piece('R', `(${integrated.map((value) => signed(value)).join(' ')})`),
        glue('·'),
        signs,
      ]
  return {
    symbols: isReference
      ? [piece('RS', `r of test ${test + 1}`), glue('counted over'), piece('S', 'S'), glue('→'), piece('AS', 'A')]
      : [
          piece('RS', `R·S of test ${test + 1}`),
          glue('= 1/n Σ'),
          piece('R', 'R'),
          glue('·'),
          piece('S', 'S'),
          glue('→'),
          piece('AS', 'A'),
        ],
    numbers: [piece('RS', signed(worth)), ...products, glue('→'), piece('AS', signed(advantage))],
    note: isReference
      ? 'A test that all correct programs pass is worth the wrong programs that it fails; any other costs the wrong ones that it lets pass.'
      : advantage === null
        ? 'This test does not train the reward model: it is worth as much as the others, or the accuracy of the problem is outside its filter.'
        : null,
  }
}

function spread(values: readonly number[]): { mean: number; std: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return { mean, std }
}
