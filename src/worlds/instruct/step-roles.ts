/**
 * Prompts and parsers for chat models in a world of steps, the same for all such worlds but for their instructions. After these, between
 * the pieces of the model's chat template:
 *
 *     policy   opening | thoughts, "Action: {command}" | observation | thoughts, "Action: {command}" | ...
 *     judge    opening, steps so far with the responses as quotations | reasons, "Score: {1 or -1}"
 *     author   task, accuracy, critic | thoughts, "Rewrite: {rewrite}"
 *     critic   the author, before: task, what the judge wrote | "Summary: {at most two sentences}" (critic-prompt.ts)
 *
 * The prompts ask for the same as the released ones (sample/alfworld_rl_rollout.py:438, 1214), in our own words. There is no list of
 * admissible commands. Each role has its own pieces, because a different model may play each role.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type { RoleFormats, StepJudgeFormat } from '../../method/ports.ts'
import { bare, lastAnswer, lastLine, lastScore } from './answers.ts'
import { authorMessage } from './author-message.ts'
import { begun, continued, opened } from './conversation.ts'
import { instructCritic } from './critic-prompt.ts'
import { foreignTextFor, quoted, withoutMiddle } from './foreign-text.ts'

export interface StepWorld {
  /** Who speaks in observations: "Game". */
  voice: string
  /** Most characters of an observation or response that a prompt quotes. */
  longestQuoted: number
  /** The first observation as prompts show it. */
  opening?: (text: string) => string
}

const COMMAND_REMINDER = 'Think, then write the next command in a last line that begins with "Action:".'

/** `tidied` is the command as the world spells it. */
export function stepPolicy(
  pieces: ChatPieces,
  { voice, longestQuoted, opening = (text) => text }: StepWorld,
  instructions: string,
  tidied: (command: string) => string,
): RoleFormats['policy'] {
  const foreign = foreignTextFor(pieces.reserved)
  const said = (text: string) => `${voice}: ${foreign(text)}\n\n${COMMAND_REMINDER}`
  return {
    opening: (text) => opened(pieces, instructions, said(opening(text))),
    afterResponse: (observation) => continued(pieces, said(withoutMiddle(observation, longestQuoted))),
    parse(response) {
      const answer = lastAnswer(response, 'action')
      if (!answer) return { thought: response.trim(), command: '' }
      return { thought: answer.reasoning, command: tidied(answer.value.replace(/\s+/g, ' ')) }
    },
    maxTokens: 256,
  }
}

/** What the instructions of every judge end with. */
export const SCORING = `Write your reasons first, in one to three short sentences. Then write the score in a last line, "Score: 1" for a good step and \
"Score: -1" for any other.`

export function stepJudge(
  pieces: ChatPieces,
  { voice, longestQuoted, opening = (text) => text }: StepWorld,
  instructions: string,
): StepJudgeFormat {
  const foreign = foreignTextFor(pieces.reserved)
  return {
    kind: 'step-judge',
    reasoning: 'prose',
    opening: (text) => `${begun(pieces, instructions)}${voice}: ${foreign(opening(text))}`,
    step: ({ response, observation }) =>
      `\n\nAgent:\n${foreign(quoted(withoutMiddle(response.trim(), longestQuoted)))}\n` +
      `${voice}: ${foreign(withoutMiddle(observation, longestQuoted))}`,
    cue: `\n\nGive your reasons on the last step, then its score in a last line that begins with "Score:".${pieces.responseCue}`,
    parse: lastScore,
    maxTokens: 384,
  }
}

/** What an author's prompt says of one form of rewrite. */
export interface RewriteForm<Rewrite> {
  meaning: string
  makes: 'harder' | 'easier' | 'either'
  example: Rewrite
}

/** "- add 3 (harder): puts three other objects into the room", a line for each form. */
export function formLines<Rewrite>(
  forms: Readonly<Record<string, RewriteForm<Rewrite>>>,
  format: (rewrite: Rewrite) => string,
): string {
  return Object.values(forms)
    .map(
      ({ meaning, makes, example }) =>
        `- ${format(example)} (${makes === 'either' ? 'harder or easier' : makes}): ${meaning}`,
    )
    .join('\n')
}

export function stepAuthor(pieces: ChatPieces, instructions: string): RoleFormats['author'] {
  const foreign = foreignTextFor(pieces.reserved)
  return {
    prompt: (input) =>
      opened(
        pieces,
        instructions,
        `${authorMessage(input, foreign)}\n\nThink, then write the change in a last line that begins with "Rewrite:".`,
      ),
    // Without such a line the last line may still be a rewrite; if not, the world refuses it with a reason.
    parse: (text) => bare(lastAnswer(text, 'rewrite')?.value ?? lastLine(text)),
    maxTokens: 384,
    critic: instructCritic(pieces),
  }
}
