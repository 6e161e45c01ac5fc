/**
 * Inputs for a spec: plain ones, as a careless author writes them (short, positive), and probing ones, for which the constants of
 * the steps matter: numbers that reach a step at or next to its limit, lists about as long as the part that is taken, strings
 * with the letters that a step looks for.
 */
import { chance, integer, pick, shuffled, type Random } from '../../random.ts'
import type { Json } from '../judge/verdict.ts'
import { applyStep, evaluate, LONGEST_LIST, LONGEST_TEXT, type Value } from './semantics.ts'
import { ALPHABET, inputTypeOf, type Op, type Spec, type Step } from './spec.ts'

const DRAWS = 40
const PROBED = Array.from({ length: 41 }, (_, i) => i - 20)
const letters = [...ALPHABET]

/** Arguments in range; null if none were found. */
export function plainInput(spec: Spec, random: Random): Json[] | null {
  const digit = () => integer(random, 0, 9)
  return inRange(spec, () => {
    switch (inputTypeOf(spec)) {
      case 'pair':
        return [digit(), digit()]
      case 'number':
        return [digit()]
      case 'bound':
        return [integer(random, 0, 4)]
      case 'list':
        return [many(integer(random, 0, 3), digit)]
      case 'text':
        return [many(integer(random, 0, 3), () => pick(random, letters)).join('')]
    }
  })
}

/** Arguments in range; null if none were found. */
export function probingInput(spec: Spec, random: Random): Json[] | null {
  return probingInputs(spec)(random)
}

/** `probingInput` for many draws: finds out once what to probe. */
export function probingInputs(spec: Spec): (random: Random) => Json[] | null {
  const type = inputTypeOf(spec)
  const numbers = probedNumbers(spec)
  const lengths = constantsOf(spec, ['take', 'drop', 'first-letters', 'last-letters', 'drop-letters'])
  const wanted = spec.steps.flatMap(({ constants }) => constants.filter((constant) => typeof constant === 'string'))
  const longest = spec.steps.some(({ op }) => op === 'twice') ? LONGEST_TEXT / 2 : LONGEST_TEXT - 1
  return (random) => {
    const number = () => (numbers.length > 0 && chance(random, 0.5) ? pick(random, numbers) : integer(random, -9, 9))
    const length = (most: number) =>
      lengths.length > 0 && chance(random, 0.5)
        ? Math.min(most, Math.max(0, pick(random, lengths) + integer(random, -1, 1)))
        : integer(random, chance(random, 0.1) ? 0 : 2, most)
    const letter = () => (wanted.length > 0 && chance(random, 0.4) ? pick(random, wanted) : pick(random, letters))
    return inRange(spec, () => {
      switch (type) {
        case 'pair':
          return [integer(random, -9, 9), integer(random, -9, 9)]
        case 'number':
          return [number()]
        case 'bound':
          return [(spec.steps[0]!.constants[0] as number) + integer(random, -2, LONGEST_LIST)]
        case 'list':
          return [many(length(LONGEST_LIST), number)]
        case 'text':
          return [many(length(longest), letter).join('')]
      }
    })
  }
}

/** Inputs that are easy to forget: empty, single, equal, negative. */
export function edgeInputs(spec: Spec): Json[][] {
  const first = spec.steps[0]!.constants[0] as number
  const candidates: Record<ReturnType<typeof inputTypeOf>, Json[][]> = {
    pair: [[0, 0], [3, 3], [-2, 5], [5, -2]], // prettier-ignore
    number: [[0], [1], [-1]],
    bound: PROBED.filter((n) => n >= first - 2 && n <= first + LONGEST_LIST).map((n) => [n]),
    list: [[[]], [[0]], [[-3]], [[2, 2]]],
    text: [[''], ['a'], ['bb']],
  }
  return candidates[inputTypeOf(spec)].filter((inputs) => evaluate(spec, inputs).isInRange)
}

function inRange(spec: Spec, draw: () => Json[]): Json[] | null {
  for (let attempt = 0; attempt < DRAWS; attempt++) {
    const inputs = draw()
    if (evaluate(spec, inputs).isInRange) return inputs
  }
  return null
}

const WITH_LIMIT = /^(keep|if)-(above|below)$|^at-(least|most)$/
const ELEMENTWISE = /^(each|keep)-/

/** Numbers that reach some step at its limit, or one off. */
function probedNumbers({ kind, steps }: Spec): number[] {
  if (kind === 'strings' || kind === 'loops') return []
  const isList = kind === 'arrays'
  const found = new Set<number>()
  for (const x of PROBED) {
    let value: Value = isList ? [x] : x
    for (const step of steps) {
      if (isList && !ELEMENTWISE.test(step.op)) break
      const now = typeof value === 'object' ? value[0] : value
      if (typeof now !== 'number') break
      if (WITH_LIMIT.test(step.op) && Math.abs(now - (step.constants[0] as number)) <= 1) found.add(x)
      value = applyStep(step, value).value
    }
  }
  return [...found]
}

function constantsOf({ steps }: Spec, ops: readonly Op[]): number[] {
  return steps.filter(({ op }: Step) => ops.includes(op)).map(({ constants }) => constants[0] as number)
}

function many<T>(length: number, draw: () => T): T[] {
  return Array.from({ length }, draw)
}

/** Each input once, in random order. */
export function distinctInputs(inputs: readonly (Json[] | null)[], random: Random): Json[][] {
  const byText = new Map(inputs.flatMap((input) => (input ? [[JSON.stringify(input), input] as const] : [])))
  return shuffled(random, [...byText.values()])
}
