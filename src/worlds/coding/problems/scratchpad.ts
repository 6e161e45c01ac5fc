/**
 * A test with a scratchpad, as the reward model writes it: an input, the value after every step, the output.
 *
 *     Input: [[4, 1, 7]]
 *     Explanation:
 *     keep the numbers above 3: [4, 7]
 *     take the sum: 0 4 11
 *     Output: 11
 *
 * Sums, counts and extrema show their running values, and conditions first say whether they hold, so every token follows from
 * few others.
 */
import type { Json } from '../judge/verdict.ts'
import { formatJson } from './json.ts'
import type { TracedStep, Value } from './semantics.ts'
import type { Spec } from './spec.ts'
import { phraseOf } from './statement.ts'

const INPUT = 'Input: '
const EXPLANATION = 'Explanation:'
const OUTPUT = 'Output: '

export function scratchpadOf(spec: Spec, inputs: readonly Json[], trace: readonly TracedStep[], output: Value): string {
  return [
    `${INPUT}${formatJson(inputs)}`,
    EXPLANATION,
    ...trace.map((traced, i) => `${phraseOf(spec.steps[i]!)}: ${noted(traced)}`),
    `${OUTPUT}${formatJson(output)}`,
  ].join('\n')
}

function noted({ value, working }: TracedStep): string {
  if (Array.isArray(working)) return working.join(' ')
  return working === null ? formatJson(value) : `${working === true ? 'yes' : 'no'} ${formatJson(value)}`
}

export const SCRATCHPAD_PHRASES: readonly string[] = [
  INPUT.trimEnd(),
  `\n${EXPLANATION}\n`,
  `\n${OUTPUT.trimEnd()}`,
  ':',
  ' [',
  ' []',
  ']\n',
  ' [[',
  ']]',
  ']',
  ',',
]
