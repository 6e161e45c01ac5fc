/**
 * Prompts and parsers for chat models in the three roles of the coding world. After the instructions, between the pieces of the model's
 * chat template:
 *
 *     policy   problem | thoughts, a program in a fenced block
 *     reward   problem | thoughts, one test: "Input:" and "Output:", a fenced block each
 *     author   problem, accuracy, critic | thoughts, "Rewrite: {rewrite}", or a whole problem as JSON in a fenced block
 *
 * The same for generated and imported problems, with functions and with standard input. The prompts ask for the same as the released ones
 * (sample/llm_policy_rollout.py:392, llm_reward_rollout.py:459, llm_env_rollout.py:887), in our own words and for JavaScript. Each role has
 * its own pieces, because a different model may play each role.
 */
import type { ChatPieces } from '../../../method/chat-pieces.ts'
import type { RoleFormats, TestWriterFormat } from '../../../method/ports.ts'
import { bare, lastAnswer, lastLine } from '../../instruct/answers.ts'
import { authorMessage } from '../../instruct/author-message.ts'
import { continued, opened } from '../../instruct/conversation.ts'
import { foreignTextFor } from '../../instruct/foreign-text.ts'
import { formatRewrite, type SpecRewrite } from '../problems/rewrite-language.ts'
import {
  ARM_OPS,
  isCondition,
  MOST_STEPS,
  OPERATIONS,
  OPS,
  type Constant,
  type Op,
  type ValueType,
} from '../problems/spec.ts'
import { phraseOf } from '../problems/statement.ts'
import { codingFormats } from './plain-roles.ts'

// --------------------------------------------------------------------------------------------------- policy

const POLICY_INSTRUCTIONS = `You solve programming problems in JavaScript. A program is run on tests that you do not see.

- Where the problem asks for a function, define it at the top level under the name that the problem gives it. It is called with the \
arguments and returns the result; it prints nothing.
- Otherwise the program reads its input and prints its answer: readline() gives the next line of the input, or null after the last one, \
and console.log(...) prints a line. Compute the answer from what is read, whatever examples the problem shows.

There are no modules, no require, no timers and no Date.

Think first, in a few short sentences: how the answer is computed, and what special cases there are. Then write the whole program in one \
block at the end:
\`\`\`js
function double(x) {
  return 2 * x
}
\`\`\``

const PROGRAM_REMINDER = 'Think, then write the whole program in one ```js block.'

/** An episode is one step; `afterResponse` is for callers that let the policy try again. */
export function instructPolicy(pieces: ChatPieces): RoleFormats['policy'] {
  const foreign = foreignTextFor(pieces.reserved)
  return {
    opening: (openingText) =>
      opened(pieces, POLICY_INSTRUCTIONS, `Problem:\n${foreign(openingText)}\n\n${PROGRAM_REMINDER}`),
    afterResponse: (observation) =>
      continued(pieces, `Result: ${foreign(observation)}\n\nCorrect the program. ${PROGRAM_REMINDER}`),
    parse: codingFormats.policy.parse,
    maxTokens: 1024,
  }
}

// ---------------------------------------------------------------------------------------------- test writer

const REWARD_INSTRUCTIONS = `You write tests for programming problems. A test is an input and the output that a right program gives for it. \
Programs that you do not see are run on it: a good test is true, so that every right program passes it, and tells wrong programs from right ones.

- Where the problem asks for a function, the input is a JSON array of its arguments, and the output is the result as a JSON value: for \
f(xs) and a list of two numbers, [[3, 4]].
- Otherwise the input is the text that the program reads, and the output is the text that it has to print.

Think first: choose an input that a careless program gets wrong, not one of the problem's examples, and work out its output step by step. \
Then write exactly one test, in this form:
Input:
\`\`\`
the input
\`\`\`
Output:
\`\`\`
the output
\`\`\``

export function instructReward(pieces: ChatPieces): TestWriterFormat {
  const foreign = foreignTextFor(pieces.reserved)
  return {
    kind: 'test-writer',
    prompt: (openingText) =>
      opened(
        pieces,
        REWARD_INSTRUCTIONS,
        `Problem:\n${foreign(openingText)}\n\nThink, then write one test: "Input:" and "Output:" with a block each.`,
      ),
    parse: codingFormats.reward.parse,
    maxTokens: 512,
  }
}

// --------------------------------------------------------------------------------------------------- author

interface RewriteForm {
  meaning: string
  example: SpecRewrite
}

const FORMS: Readonly<Record<SpecRewrite['kind'], RewriteForm>> = {
  insert: {
    meaning: 'a new step becomes number 2, those behind it move on',
    example: { kind: 'insert', at: 2, step: { op: 'keep-even', constants: [] } },
  },
  remove: { meaning: 'step 1 is left out', example: { kind: 'remove', at: 1 } },
  replace: {
    meaning: 'step 3 is another one',
    example: { kind: 'replace', at: 3, step: { op: 'largest', constants: [] } },
  },
  set: { meaning: 'the first constant of step 2 is another one', example: { kind: 'set', at: 2, constant: 5 } },
  swap: { meaning: 'two neighbours change places', example: { kind: 'swap', at: 1 } },
}

const FORM_LINES = Object.values(FORMS).map(({ meaning, example }) => `- ${formatRewrite(example)}: ${meaning}`)

const TAKES: Readonly<Record<ValueType, string>> = {
  pair: 'two numbers, as a first step only',
  number: 'a number',
  bound: 'the number n to count to, as a first step only',
  list: 'a list of numbers',
  text: 'a string',
}

/** "multiply by (2 to 4)" */
function patternOf(op: Op): string {
  const slots: readonly (readonly Constant[])[] = OPERATIONS[op].slots
  const phrase = phraseOf({ op, constants: slots.map((_, i) => `slot${i}`) })
  const filled = slots.reduce(
    (text, slot, i) => text.replace(`"slot${i}"`, `(${JSON.stringify(slot[0])} to ${JSON.stringify(slot.at(-1))})`),
    phrase,
  )
  return isCondition(op) ? `${filled} (step) else (step)` : filled
}

const patternsOf = (takes: ValueType) => OPS.filter((op) => OPERATIONS[op].takes === takes).map(patternOf)

const STEP_LINES = (Object.keys(TAKES) as ValueType[]).map(
  (type) => `- of ${TAKES[type]}: ${patternsOf(type).join('; ')}`,
)

const AUTHOR_OPENING = `You change programming problems so that an agent learns from them. You are shown a problem, how often the agent \
solves it, and what a critic said of its attempts. Make the problem so that about half of the attempts solve it, and take up what the \
critic said.`

const STEPS_INSTRUCTIONS = `${AUTHOR_OPENING}

The problem is a chain of steps with numbers: each works on what the one before it gives. A change is one line in one of these forms, of \
which these are examples:
${FORM_LINES.join('\n')}

A problem has 1 to ${MOST_STEPS} steps, and every step has to matter for the result. Steps are spelled exactly like this, with one \
constant of the range in place of each pair of brackets:
${STEP_LINES.join('\n')}
The two steps of a condition are of these: ${ARM_OPS.map(patternOf).join('; ')}.

Longer chains, conditions and larger constants are harder. Think first, in one to three short sentences. Then write the change in a last \
line of this form:
Rewrite: ${formatRewrite(FORMS.insert.example)}`

/** An example of a rewrite in JSON. */
const EXAMPLE_ITEM = {
  question: 'Read a line with numbers and print the largest of them.',
  test_method: 'stdio',
  test_time_limit: 2,
  test_input: ['3 1 2\n', '-5 -9\n', '7\n', '1 1 1\n'],
  test_output: ['3', '-5', '7', '1'],
}

const JSON_INSTRUCTIONS = `${AUTHOR_OPENING}

The problem is JSON, and what you write is a whole new problem in the same JSON: a question that says all that a program needs to know, \
the same test_method (and a function_name where there is one), test_time_limit in seconds, and at least four tests, each input of \
test_input with its output in test_output. Inputs and outputs are texts: where a function is called, the input is a JSON array of its \
arguments and the output a JSON value, both written as text. Every test has to be true, so work each of them out. Stay close to the \
problem that you are shown.

Think first, in a few short sentences. Then write the new problem in one block at the end, like this one:
\`\`\`json
${JSON.stringify(EXAMPLE_ITEM)}
\`\`\``

/** An imported problem is described as JSON (released/rewrites.ts), a generated one in words. */
const isJson = (description: string) => description.startsWith('{')

export function instructAuthor(pieces: ChatPieces): RoleFormats['author'] {
  const foreign = foreignTextFor(pieces.reserved)
  return {
    prompt(input) {
      const [instructions, reminder] = isJson(input.description)
        ? [JSON_INSTRUCTIONS, 'Think, then write the new problem in one ```json block.']
        : [STEPS_INSTRUCTIONS, 'Think, then write the change in a last line that begins with "Rewrite:".']
      return opened(pieces, instructions, `${authorMessage(input, foreign)}\n\n${reminder}`)
    },
    parse(text) {
      // Only whole problems have this field; released/rewrites.ts parses them.
      if (text.includes('"question"')) return text.trim()
      return bare(lastAnswer(text, 'rewrite')?.value ?? lastLine(text))
    },
    // Enough for a whole problem with its tests.
    maxTokens: 1024,
  }
}
