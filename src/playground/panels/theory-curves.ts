/** Curves of the theory (src/method/theory.ts) for the panel with sliders: promises over m, and agreement over a. */
import { expectedAgreement, precisionBound, teachingBalance } from '../../method/theory.ts'
import { decimal, UNKNOWN } from './format.ts'

export interface TheoryInput {
  pPlus: number
  pMinus: number
  /** acc(q), in [0, 1]. */
  accuracy: number
  evaluations: number
  /** Evaluations are tests, the same for all programs. */
  isShared: boolean
}

export interface TheoryPoint {
  x: number
  y: number
}

export const MOST_EVALUATIONS = 32
const ACCURACIES = 20

export interface TheoryNumbers {
  mu: number
  /** E[S|O=1] - E[S|O=-1] */
  signal: number
  bound: number
  agreement: number
  /** "1 : 4", the weights of p+ and p- in what the reward model is taught. */
  balance: string
  /** Least m whose bound reaches 0.95; null where no m does. */
  evaluationsFor95: number | null
}

export function theoryNumbers(input: TheoryInput): TheoryNumbers {
  const { pPlus, pMinus, accuracy, evaluations, isShared } = input
  const mu = pPlus + pMinus
  const needed = (-Math.log(0.05) * (isShared ? 2 : 1)) / (mu - 1) ** 2
  return {
    mu,
    signal: 2 * (mu - 1),
    bound: precisionBound(mu, evaluations, isShared),
    agreement: expectedAgreement(accuracy, pPlus, pMinus),
    balance: balanceWords(accuracy),
    evaluationsFor95: mu > 1 ? Math.ceil(needed - 1e-9) : null,
  }
}

function balanceWords(accuracy: number): string {
  const ratio = teachingBalance(accuracy)
  if (ratio === 0) return 'p₋ alone'
  if (!Number.isFinite(ratio)) return 'p₊ alone'
  return ratio >= 1 ? `${short(ratio)} : 1` : `1 : ${short(1 / ratio)}`
}

const short = (value: number) => (Number.isFinite(value) ? decimal(value, 1).replace(/\.0$/u, '') : UNKNOWN)

/** The bound for m = 1, 2, ... */
export function boundCurve({ pPlus, pMinus, isShared }: TheoryInput): TheoryPoint[] {
  return Array.from({ length: MOST_EVALUATIONS }, (_, i) => ({
    x: i + 1,
    y: precisionBound(pPlus + pMinus, i + 1, isShared),
  }))
}

/** E[O·S] for accuracies from 0 to 1. */
export function agreementCurve({ pPlus, pMinus }: TheoryInput): TheoryPoint[] {
  return Array.from({ length: ACCURACIES + 1 }, (_, i) => ({
    x: i / ACCURACIES,
    y: expectedAgreement(i / ACCURACIES, pPlus, pMinus),
  }))
}
