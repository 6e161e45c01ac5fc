/** The differences between the hidden tests of two versions of a problem. */
import type { WrittenTest } from '../../../method/ports.ts'

interface TestChange {
  kind: 'removed' | 'added' | 'changed'
  input: string
  /** Expected outputs; `before` of an added test and `after` of a removed one are null. */
  before: string | null
  after: string | null
}

interface TestsDiff {
  kept: number
  changes: TestChange[]
}

/** Compares tests by their inputs: a test with another output is one change. */
export function testsDiff(before: readonly WrittenTest[], after: readonly WrittenTest[]): TestsDiff {
  const left = new Map<string, string[]>()
  for (const { input, output } of after) left.set(input, [...(left.get(input) ?? []), output])
  const changes: TestChange[] = []
  let kept = 0
  const take = (input: string, at: number) => left.get(input)!.splice(at, 1)[0]!
  const unmatched: WrittenTest[] = []
  for (const test of before) {
    const same = left.get(test.input)?.indexOf(test.output) ?? -1
    if (same < 0) unmatched.push(test)
    else {
      take(test.input, same)
      kept++
    }
  }
  for (const { input, output } of unmatched) {
    if (left.get(input)?.length) changes.push({ kind: 'changed', input, before: output, after: take(input, 0) })
    else changes.push({ kind: 'removed', input, before: output, after: null })
  }
  for (const [input, outputs] of left)
    for (const output of outputs) changes.push({ kind: 'added', input, before: null, after: output })
  return { kept, changes }
}
