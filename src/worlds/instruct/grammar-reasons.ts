/**
 * Rules of a grammar (XGrammar's EBNF) for the reasons before an answer: lines of any text, each perhaps with an empty one
 * behind it. After the last line that has room, only the answer can follow.
 */
const reasons = (lines: number) => String.raw`reasons ::= line${' line?'.repeat(lines - 1)}
line ::= [^ \n] [^\n]* "\n" "\n"?`

/** Prompts ask for one to three sentences. */
export const REASONS = reasons(4)
/** The output of a test is worked out step by step. */
export const LONG_REASONS = reasons(12)
