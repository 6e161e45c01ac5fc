/**
 * What the household's judge and author may write, for models that are not trained: with a grammar, the
 * log-probabilities of a model that learns would be those of the grammar's choices.
 *
 *     plain      text that is continued: " {reason}; score 1". It begins with the space that follows the cue
 *     instruct   a chat model: a few lines of reasons, then the form that instruct-roles.ts parses
 */
import type { Role } from '../../../method/ports.ts'
import { REASONS } from '../../instruct/grammar-reasons.ts'
import type { RoleGrammars } from '../../world.ts'

/** " {reason}; score 1", which plain-roles.ts parses. */
const JUDGE = String.raw`root ::= " " reason "; score " score
reason ::= [^;\n]+
score ::= "1" | "-1"`

/** The forms of ../rewrites/language.ts. */
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

const INSTRUCT_JUDGE = String.raw`root ::= reasons "Score: " score
${REASONS}
score ::= "1" | "-1"`

export const HOUSEHOLD_GRAMMARS: Record<Role, RoleGrammars> = {
  policy: { plain: null, instruct: null },
  reward: { plain: JUDGE, instruct: INSTRUCT_JUDGE },
  author: {
    plain: `root ::= " " rewrite\n${REWRITE_RULES}`,
    instruct: `root ::= reasons "Rewrite: " rewrite\n${REASONS}\n${REWRITE_RULES}`,
  },
}
