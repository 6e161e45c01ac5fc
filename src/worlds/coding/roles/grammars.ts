/**
 * What the coding world's test writer and author may write, for chat models that are not trained (../../household/roles/grammars.ts
 * says why only these). Our own plain formats are for the models that were trained on them.
 */
import type { Role } from '../../../method/ports.ts'
import type { Settings } from '../../../method/settings.ts'
import { LONG_REASONS, REASONS } from '../../instruct/grammar-reasons.ts'
import type { RoleGrammars } from '../../world.ts'
import { ARM_OPS, isCondition, OPERATIONS, OPS, type Constant, type Op } from '../problems/spec.ts'
import { phraseOf } from '../problems/statement.ts'

/** An input may be empty; text that would close a block early is excluded. */
const TEST = String.raw`root ::= reasons "Input:\n" fence "\n" row* fence "\nOutput:\n" fence "\n" row+ fence
${LONG_REASONS}
row ::= [^${'`'}\n]* "\n"
fence ::= "${'```'}"`

/**
 * Rewrites of generated problems, whose steps are spelled as in the statement. XGrammar 0.1.27 can continue the beginning of one
 * phrase with the end of another that begins alike ("keep the even letters"), so the parser has the last word.
 */
const STEPS = String.raw`root ::= reasons "Rewrite: " rewrite
${REASONS}
rewrite ::= insert | remove | set | swap
insert ::= ("insert " | "replace ") place " " step
remove ::= "remove " place
set ::= "set " place " to " constant
swap ::= "swap " (${[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `"${at} and ${at + 1}"`).join(' | ')})
place ::= [1-9]
constant ::= "-"? digit digit? digit? | "\"" [a-z] "\""
digit ::= [0-9]
step ::= ${OPS.map((op) => (isCondition(op) ? `${phrase(op)} " " arm " else " arm` : phrase(op))).join(' | ')}
arm ::= ${ARM_OPS.map(phrase).join(' | ')}`

/** An author of imported problems writes a whole problem as JSON, so nothing constrains it. */
export function codingGrammars({ problems }: Pick<Settings, 'problems'>): Record<Role, RoleGrammars> {
  return {
    policy: { plain: null, instruct: null },
    reward: { plain: null, instruct: TEST },
    author: { plain: null, instruct: problems === 'generated' ? STEPS : null },
  }
}

/** A step's phrase, with one constant of the slot in each of its places. */
function phrase(op: Op): string {
  const slots: readonly (readonly Constant[])[] = OPERATIONS[op].slots
  const [first, ...rest] = phraseOf({ op, constants: slots.map((_, i) => `slot${i}`) }).split(/"slot\d"/)
  const pieces = rest.map(
    (text, i) => `(${slots[i]!.map((c) => literal(JSON.stringify(c))).join(' | ')}) ${literal(text)}`,
  )
  return [literal(first!), ...pieces].join(' ').replaceAll(' ""', '')
}

/** Escapes as JSON does. */
function literal(text: string): string {
  return JSON.stringify(text)
}
