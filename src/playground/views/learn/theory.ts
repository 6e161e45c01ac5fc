/** The charts and numbers of the theory (src/method/theory.ts): the bound over m, and what votes earn over a. */
import { ticks } from '../../kit/charts/scale.ts'
import {
  constantVoteFeedback,
  expectedAgreement,
  expectedSelfAgreement,
  precisionBound,
  teachingBalance,
} from '../../../method/theory.ts'
import type { RunView } from '../../../runs/fold.ts'
import { settingsOf } from '../../run/trajectories.ts'
import type { FunctionChart } from '../../kit/charts/functions.ts'
import type { Point } from '../../kit/charts/scale.ts'
import { compact, decimal, percent, UNKNOWN } from '../../kit/format.ts'

interface TheoryInput {
  pPlus: number
  pMinus: number
  /** acc(q), in [0, 1]. */
  accuracy: number
  evaluations: number
  lambda: number
  /** Evaluations are tests, which all programs share. */
  isShared: boolean
}

/** The newest estimate of a run. */
export interface RunEstimate extends Omit<TheoryInput, 'isShared'> {
  iteration: number
  bound: number | null
  /** E[O·S] and λ E[S̄·S] as measured; null in older logs. */
  grounded: number | null
  selfConsistency: number | null
}

export function runEstimate(view: RunView): RunEstimate | null {
  const latest = view.iterations.findLast(({ theory }) => typeof theory?.mu === 'number')
  if (!latest?.theory) return null
  const { pPlus, pMinus, precisionBound, successShare, grounded, selfConsistency } = latest.theory
  const settings = settingsOf(view, latest.iteration)
  return {
    iteration: latest.iteration,
    pPlus: pPlus!,
    pMinus: pMinus!,
    accuracy: successShare,
    evaluations: settings?.evaluationsPerStep ?? 1,
    lambda: settings?.lambda ?? 1,
    bound: precisionBound,
    grounded: grounded ?? null,
    selfConsistency: selfConsistency ?? null,
  }
}

/** At least as many as a run may have. */
export const MOST_EVALUATIONS = 32
export const MOST_LAMBDA = 10
const ACCURACIES = 20

interface TheoryNumbers {
  mu: number
  /** E[S|O=1] - E[S|O=-1] */
  signal: number
  bound: number
  agreement: number
  /** λ E[S̄·S] */
  selfConsistency: number
  /** E[R·S] of a judge that always gives the better of the two constant votes, and that vote. */
  constant: { vote: 1 | -1; feedback: number }
  /** The weights of p+ and p- in the reward model's training signal: "1 : 4". */
  balance: string
  /** The least m whose bound reaches 0.95; null if none does. */
  evaluationsFor95: number | null
}

export function theoryNumbers(input: TheoryInput): TheoryNumbers {
  const { pPlus, pMinus, accuracy, evaluations, lambda, isShared } = input
  const vote = accuracy > 0.5 ? 1 : -1
  const mu = pPlus + pMinus
  const needed = (-Math.log(0.05) * (isShared ? 2 : 1)) / (mu - 1) ** 2
  return {
    mu,
    signal: 2 * (mu - 1),
    bound: precisionBound(mu, evaluations, isShared),
    agreement: expectedAgreement(accuracy, pPlus, pMinus),
    selfConsistency: lambda * expectedSelfAgreement(accuracy, pPlus, pMinus, evaluations),
    constant: { vote, feedback: constantVoteFeedback(vote, accuracy, lambda) },
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
export function boundCurve({ pPlus, pMinus, isShared }: TheoryInput): Point[] {
  return Array.from({ length: MOST_EVALUATIONS }, (_, i) => ({
    x: i + 1,
    y: precisionBound(pPlus + pMinus, i + 1, isShared),
  }))
}

/** E[O·S] for accuracies from 0 to 1. */
export function agreementCurve({ pPlus, pMinus }: Pick<TheoryInput, 'pPlus' | 'pMinus'>): Point[] {
  return Array.from({ length: ACCURACIES + 1 }, (_, i) => ({
    x: i / ACCURACIES,
    y: expectedAgreement(i / ACCURACIES, pPlus, pMinus),
  }))
}

/** E[R·S] for accuracies from 0 to 1. */
function feedbackCurve({ pPlus, pMinus, evaluations, lambda }: TheoryInput): Point[] {
  return agreementCurve({ pPlus, pMinus }).map(({ x, y }) => ({
    x,
    y: y + lambda * expectedSelfAgreement(x, pPlus, pMinus, evaluations),
  }))
}

function constantCurve(vote: 1 | -1, lambda: number): Point[] {
  return agreementCurve({ pPlus: 0, pMinus: 0 }).map(({ x }) => ({ x, y: constantVoteFeedback(vote, x, lambda) }))
}

const twoDigits = (value: number) => compact(Number(value.toFixed(2)))

/** The values of the sliders, and the run's estimate if there is one. */
export function theoryCharts(here: TheoryInput, run: (TheoryInput & { iteration: number }) | null): FunctionChart[] {
  const evaluations = here.isShared ? 'tests' : 'votes'
  const sources = [
    { name: 'here', line: 'solid' as const, input: here },
    ...(run ? [{ name: `iteration ${run.iteration}`, line: 'dashed' as const, input: run }] : []),
  ]
  return [
    {
      title: 'The bound over m',
      symbols: { x: 'm', y: 'bound' },
      about: `The least probability that m ${evaluations} rank success above failure: $1 − exp(−${here.isShared ? '{1}/{2} ' : ''}m (μ − 1)²)$ for μ above 1.`,
      x: {
        name: `m, ${evaluations}`,
        domain: [1, MOST_EVALUATIONS],
        ticks: [1, 8, 16, 24, MOST_EVALUATIONS],
        write: String,
      },
      y: { name: 'P', domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], write: percent },
      curves: sources.map(({ name, line, input }) => ({ name, line, points: boundCurve(input) })),
      // A run may use more evaluations than the axis shows.
      marks: sources
        .filter(({ input }) => input.evaluations <= MOST_EVALUATIONS)
        .map(({ name, input }) => ({
          name,
          x: input.evaluations,
          y: precisionBound(input.pPlus + input.pMinus, input.evaluations, input.isShared),
        })),
    },
    {
      title: 'E[O·S] over accuracy',
      symbols: { x: 'accuracy', y: 'grounded', level: 'mu' },
      about:
        'The grounded term of the reward model’s training signal on tasks of accuracy $a$. At one half it is $μ − 1$ for any p₊ and p₋; near 0 and 1 only one kind of vote counts. The author keeps tasks in the shaded range.',
      x: { name: 'a, accuracy of a task', domain: [0, 1], ticks: [0, 0.2, 0.5, 0.8, 1], write: twoDigits },
      y: { name: 'E[O·S]', domain: [-1, 1], ticks: [-1, -0.5, 0, 0.5, 1], write: twoDigits },
      curves: sources.map(({ name, line, input }) => ({ name, line, points: agreementCurve(input) })),
      marks: sources.map(({ name, input }) => ({
        name,
        x: input.accuracy,
        y: expectedAgreement(input.accuracy, input.pPlus, input.pMinus),
      })),
      level: { name: 'μ − 1', y: here.pPlus + here.pMinus - 1 },
      band: { name: '0.2 to 0.8', from: 0.2, to: 0.8 },
    },
    {
      title: 'Judging or collapsing: E[R·S] over accuracy',
      symbols: { x: 'accuracy', y: 'worth' },
      about:
        'What a vote earns on average, O·S and $λ S̄ · S$ together: that of a judge with these p₊ and p₋, and that of one that gives every step the same vote. Where a constant vote earns more, training need not lead to it: what counts is where a small change of the judge earns more. The votes on a step are taken to be independent.',
      x: { name: 'a, accuracy of a task', domain: [0, 1], ticks: [0, 0.2, 0.5, 0.8, 1], write: twoDigits },
      y: {
        name: 'E[R·S]',
        domain: [-1, 1 + here.lambda],
        ticks: ticks([-1, 1 + here.lambda], 4),
        write: twoDigits,
      },
      curves: [
        { name: 'here', line: 'solid', points: feedbackCurve(here) },
        { name: 'always −1', line: 'dashed', points: constantCurve(-1, here.lambda) },
        { name: 'always +1', line: 'dotted', points: constantCurve(1, here.lambda) },
      ],
      marks: [
        { name: 'here', x: here.accuracy, y: theoryNumbers(here).agreement + theoryNumbers(here).selfConsistency },
      ],
    },
  ]
}
