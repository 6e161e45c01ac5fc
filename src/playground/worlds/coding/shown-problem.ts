/**
 * Reads a problem from a task's body. A log may come from anywhere, so its content is checked: null for a body that is no problem.
 */
import * as v from 'valibot'
import type { Task, WrittenTest } from '../../../method/ports.ts'

const shape = v.object({
  statement: v.string(),
  tests: v.array(v.object({ input: v.string(), output: v.nullable(v.string()) })),
  reference: v.nullish(v.string(), null),
  checker: v.nullish(v.string(), null),
  form: v.picklist(['call', 'stdio']),
  functionName: v.optional(v.string()),
})

/** Shown as the output of a test that expects none. */
export const NOTHING_EXPECTED = 'what the checker accepts'

export interface ShownProblem {
  statement: string
  /** A test without an output has NOTHING_EXPECTED. */
  tests: readonly WrittenTest[]
  reference: string | null
  checker: string | null
  form: 'call' | 'stdio'
  functionName?: string | undefined
}

export function shownProblem(task: Pick<Task, 'body'> | null | undefined): ShownProblem | null {
  const result = v.safeParse(shape, task?.body)
  if (!result.success) return null
  const tests = result.output.tests.map(({ input, output }) => ({ input, output: output ?? NOTHING_EXPECTED }))
  return { ...result.output, tests }
}

/** `[1, 2] → 3` on one line. Long texts are cut at their ends. */
export function testLine({ input, output }: WrittenTest, most = 60): string {
  const half = Math.floor(most / 2)
  const inputText = oneLine(input)
  const outputText = oneLine(output)
  if (inputText.length + outputText.length <= most) return `${inputText} → ${outputText}`
  const outputRoom = Math.max(half, most - inputText.length)
  const shownOutput = cut(outputText, outputRoom)
  return `${cut(inputText, most - shownOutput.length)} → ${shownOutput}`
}

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, ' ↵ ')
const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`)
