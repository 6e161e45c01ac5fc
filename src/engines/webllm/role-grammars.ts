/**
 * What judges and authors may write, as grammars in XGrammar's EBNF, for models that nobody trains: of one that learns, the
 * log-probabilities would be those of what a grammar allows, and not its own.
 *
 *     plain      what continues text: " {reason}; score 1". They begin with the space that follows the cue, as those formats do
 *     instruct   a chat model: a few lines of reasons, then the form that the parsers of instruct-roles.ts read
 *
 * A line of reasons may be anything; after the last one that there is room for, nothing but the answer can follow.
 */
import type { Settings } from '../../method/settings.ts'
import { ARM_OPS, isCondition, OPERATIONS, OPS, type Constant, type Op } from '../../worlds/coding/problems/spec.ts'
import { phraseOf } from '../../worlds/coding/problems/statement.ts'
import type { Role } from '../../method/ports.ts'
import type { ResponseFormat } from './surface.ts'

/** " {reason}; score 1": what environments/household/roles.ts reads. */
export const JUDGE_GRAMMAR = String.raw`root ::= " " reason "; score " score
reason ::= [^;\n]+
score ::= "1" | "-1"`

/** The forms of environments/household/rewrite-language.ts. */
const REWRITE_RULES = String.raw`rewrite ::= goal | hint | "no hints" | add | remove | door | move
goal ::= "goal " word " " word
hint ::= "hint " name
add ::= "add " digit digit? digit?
remove ::= "remove " name
door ::= ("open " | "close ") name
move ::= "move " name " to " name
name ::= word " " digit+
word ::= [a-z]+
digit ::= [0-9]`

export const AUTHOR_GRAMMAR = `root ::= " " rewrite\n${REWRITE_RULES}`

/** Up to so many lines, each perhaps with an empty one behind it. */
const reasons = (lines: number) => String.raw`reasons ::= line${' line?'.repeat(lines - 1)}
line ::= [^ \n] [^\n]* "\n" "\n"?`

/** One to three sentences are asked for. */
const REASONS = reasons(4)
/** The output of a test is worked out step by step. */
const LONG_REASONS = reasons(12)

export const INSTRUCT_JUDGE_GRAMMAR = String.raw`root ::= reasons "Score: " score
${REASONS}
score ::= "1" | "-1"`

export const INSTRUCT_AUTHOR_GRAMMAR = `root ::= reasons "Rewrite: " rewrite\n${REASONS}\n${REWRITE_RULES}`

/** An input may be empty; what would close a block early is left out. */
export const INSTRUCT_TEST_GRAMMAR = String.raw`root ::= reasons "Input:\n" fence "\n" row* fence "\nOutput:\n" fence "\n" row+ fence
${LONG_REASONS}
row ::= [^${'`'}\n]* "\n"
fence ::= "${'```'}"`

/**
 * Rewrites of generated problems, whose steps are spelled as in the statement. XGrammar 0.1.27 lets the beginning of one phrase go on
 * with the end of one that begins alike ("keep the even letters"), so the parser still has the last word.
 */
export const INSTRUCT_STEPS_GRAMMAR = String.raw`root ::= reasons "Rewrite: " rewrite
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

/** A step's phrase, one constant of the slot in each of its places. */
function phrase(op: Op): string {
  const slots: readonly (readonly Constant[])[] = OPERATIONS[op].slots
  const [first, ...rest] = phraseOf({ op, constants: slots.map((_, i) => `slot${i}`) }).split(/"slot\d"/)
  const pieces = rest.map(
    (text, i) => `(${slots[i]!.map((c) => literal(JSON.stringify(c))).join(' | ')}) ${literal(text)}`,
  )
  return [literal(first!), ...pieces].join(' ').replaceAll(' ""', '')
}

/** As in JSON. */
function literal(text: string): string {
  return JSON.stringify(text)
}

/** By how a model is spoken to; null lets it write anything. */
export interface RoleGrammars {
  plain: ResponseFormat | null
  instruct: ResponseFormat | null
}

const grammar = (text: string): ResponseFormat => ({ type: 'grammar', grammar: text })

/**
 * What a role may write in a setting. The policy writes as it likes, and so does an author of imported problems, who writes a whole
 * problem as JSON; our own formats of the coding setting are for the models that were trained on them.
 */
export function roleGrammars(role: Role, { world, problems }: Pick<Settings, 'world' | 'problems'>): RoleGrammars {
  if (role === 'policy') return { plain: null, instruct: null }
  if (world === 'household')
    return role === 'reward'
      ? { plain: grammar(JUDGE_GRAMMAR), instruct: grammar(INSTRUCT_JUDGE_GRAMMAR) }
      : { plain: grammar(AUTHOR_GRAMMAR), instruct: grammar(INSTRUCT_AUTHOR_GRAMMAR) }
  if (role === 'reward') return { plain: null, instruct: grammar(INSTRUCT_TEST_GRAMMAR) }
  return { plain: null, instruct: problems === 'generated' ? grammar(INSTRUCT_STEPS_GRAMMAR) : null }
}
