/** Set phrases between values in the coding world, one token each (see vocabulary.ts). */
import { CODING_PHRASES } from '../../worlds/coding/roles/demonstrations.ts'

/** Phrases of the roles' prompts, and of the critic's reasons (method/test-writing/critic-summary.ts). */
const ROLE_PHRASES: readonly string[] = [
  '\nProgram:\n',
  '\nTest:\n',
  '\nCritic:',
  '\nRewrite:',
  'harder',
  'easier',
  'wrong answer on test',
  'runtime error on test',
  'syntax error on test',
  'time limit on test',
  'wrong answer on written',
  'runtime error on written',
  'syntax error on written',
  'time limit on written',
  'passed all tests',
  'passed written',
  'written',
  '->',
  'lies',
  ' x',
  ';',
  ': yes',
  ': no',
  // a program that was not finished well
  '\n  return y',
  '\n}',
]

/** Brackets are separate, so that lists have the same tokens everywhere. */
const isBrackets = (phrase: string) => /^[[\]\s]*$/.test(phrase)

/**
 * A phrase includes the spaces around it, so that a following number or letter, and a fragment of a program, have the same tokens
 * everywhere.
 */
export const CODING_TOKEN_PHRASES: readonly string[] = [
  ...new Set(
    [...ROLE_PHRASES, ...CODING_PHRASES].flatMap((phrase) => {
      const bare = /^[\n ]*[a-z-]?[\n ]*$/.test(phrase) ? phrase : phrase.replace(/^ | $/g, '')
      return [phrase, bare, `${bare} `, ` ${bare}`, ` ${bare} `]
    }),
  ),
].filter((phrase) => phrase.length > 1 && !isBrackets(phrase))
