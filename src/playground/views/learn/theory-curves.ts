/** Curves of the theory (src/method/theory.ts) for the panel with sliders: promises over m, and agreement over a. */
import { expectedAgreement, precisionBound, teachingBalance } from '../../../method/theory.ts'
import { compact, decimal, percent, UNKNOWN } from '../../kit/format.ts'

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

/** A chart of functions that are known everywhere, with what is on show as points on them. */
export interface FunctionChart {
  title: string
  about: string
  x: AxisOfFunction
  y: AxisOfFunction
  curves: { name: string; line: 'solid' | 'dashed'; points: TheoryPoint[] }[]
  /** Each on the curve of its name. */
  marks: { name: string; x: number; y: number }[]
  /** A value of y to compare with. */
  level?: { name: string; y: number }
  /** A stretch of x. */
  band?: { name: string; from: number; to: number }
}

interface AxisOfFunction {
  name: string
  domain: [number, number]
  ticks: number[]
  write: (value: number) => string
}

const twoDigits = (value: number) => compact(Number(value.toFixed(2)))

/** What is set on the sliders, and the run's estimate where there is one. */
export function theoryCharts(here: TheoryInput, run: (TheoryInput & { iteration: number }) | null): FunctionChart[] {
  const evaluations = here.isShared ? 'tests' : 'votes'
  const sources = [
    { name: 'here', line: 'solid' as const, input: here },
    ...(run ? [{ name: `iteration ${run.iteration}`, line: 'dashed' as const, input: run }] : []),
  ]
  return [
    {
      title: 'The bound over m',
      about: `How likely m ${evaluations} at least rank success above failure: 1 − exp(−m(μ − 1)²${here.isShared ? ' / 2' : ''}) for μ above 1.`,
      x: {
        name: `m, ${evaluations}`,
        domain: [1, MOST_EVALUATIONS],
        ticks: [1, 8, 16, 24, MOST_EVALUATIONS],
        write: String,
      },
      y: { name: 'P', domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], write: percent },
      curves: sources.map(({ name, line, input }) => ({ name, line, points: boundCurve(input) })),
      // A run may ask more often than the axis reaches.
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
      about:
        'What the reward model is taught, on average, by tasks of accuracy a: at one half it is μ − 1 whatever p₊ and p₋ are; near 0 and 1 one kind of vote alone counts. Shaded is where the author keeps tasks.',
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
  ]
}

/** The chart in words: each curve at its ends and at its mark. */
export function summariseFunctions({ title, x, y, curves, marks, level, band }: FunctionChart): string {
  const sentences = curves.map(({ name, points }) => {
    const mark = marks.find((each) => each.name === name)
    const places = [points[0]!, ...(mark ? [mark] : []), points.at(-1)!]
    return `${name} ${places.map((at) => `${y.write(at.y)} at ${x.write(at.x)}`).join(', ')}`
  })
  if (level) sentences.push(`${level.name} is ${y.write(level.y)}`)
  if (band) sentences.push(`shaded from ${band.name}`)
  return `${title}. Over ${x.name}: ${sentences.join('; ')}.`
}
