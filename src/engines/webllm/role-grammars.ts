/**
 * What the household's judge and author may write, as grammars in XGrammar's EBNF. A general instruction model follows them
 * where it would chat. They begin with the space that follows the cue, as the formats of the roles do.
 */
import type { ResponseFormat } from './surface.ts'

/** " {reason}; score 1": what environments/household/roles.ts reads. */
export const JUDGE_GRAMMAR = String.raw`root ::= " " reason "; score " score
reason ::= [^;\n]+
score ::= "1" | "-1"`

/** The forms of environments/household/rewrite-language.ts. */
export const AUTHOR_GRAMMAR = String.raw`root ::= " " rewrite
rewrite ::= goal | hint | "no hints" | add | remove | door | move
goal ::= "goal " word " " word
hint ::= "hint " name
add ::= "add " digit digit? digit?
remove ::= "remove " name
door ::= ("open " | "close ") name
move ::= "move " name " to " name
name ::= word " " digit+
word ::= [a-z]+
digit ::= [0-9]`

export const HOUSEHOLD_FORMATS = {
  reward: { type: 'grammar', grammar: JUDGE_GRAMMAR },
  author: { type: 'grammar', grammar: AUTHOR_GRAMMAR },
} as const satisfies Record<string, ResponseFormat>
