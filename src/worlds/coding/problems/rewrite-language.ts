/**
 * Rewrites of generated problems as text, one line each. Step numbers are those before the rewrite, and steps are spelled as in
 * the statement:
 *
 *     insert 2 keep the even numbers      the step becomes number 2
 *     remove 1
 *     replace 3 take the largest
 *     set 2 to 5                          the (first) constant of step 2
 *     swap 1 and 2
 */
import type { Constant, Step } from './spec.ts'
import { parseConstant, parseStep, phraseOf } from './statement.ts'

/** `at` counts from 1. */
export type SpecRewrite =
  | { kind: 'insert'; at: number; step: Step }
  | { kind: 'remove'; at: number }
  | { kind: 'replace'; at: number; step: Step }
  | { kind: 'set'; at: number; constant: Constant }
  /** Swaps steps `at` and `at + 1`. */
  | { kind: 'swap'; at: number }

const LONGEST_REWRITE = 200
const WITH_STEP = /^(insert|replace) ([1-9]) (.+)$/
const REMOVE = /^remove ([1-9])$/
const SET = /^set ([1-9]) to (-?[0-9]{1,3}|"[a-z]")$/
const SWAP = /^swap ([1-9]) and ([1-9])$/

/** Null if the text matches no form. Ignores a final full stop, letter case and extra blanks. */
export function parseRewrite(text: string): SpecRewrite | null {
  if (text.length > LONGEST_REWRITE) return null
  const line = text.trim().toLowerCase().replace(/\.$/, '').replace(/\s+/g, ' ')
  const withStep = WITH_STEP.exec(line)
  if (withStep) {
    const step = parseStep(withStep[3]!)
    return step && { kind: withStep[1] as 'insert' | 'replace', at: Number(withStep[2]), step }
  }
  const remove = REMOVE.exec(line)
  if (remove) return { kind: 'remove', at: Number(remove[1]) }
  const set = SET.exec(line)
  if (set) return { kind: 'set', at: Number(set[1]), constant: parseConstant(set[2]!) }
  const swap = SWAP.exec(line)
  if (swap && Number(swap[2]) === Number(swap[1]) + 1) return { kind: 'swap', at: Number(swap[1]) }
  return null
}

export function formatRewrite(rewrite: SpecRewrite): string {
  const { kind, at } = rewrite
  switch (kind) {
    case 'insert':
    case 'replace':
      return `${kind} ${at} ${phraseOf(rewrite.step)}`
    case 'remove':
      return `remove ${at}`
    case 'set':
      return `set ${at} to ${JSON.stringify(rewrite.constant)}`
    case 'swap':
      return `swap ${at} and ${at + 1}`
  }
}

/** Words of rewrites other than the phrases of steps. */
export const REWRITE_PHRASES: readonly string[] = [' insert', ' remove', ' replace', ' set', ' swap', ' to', ' and']
