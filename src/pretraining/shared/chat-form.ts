/**
 * The chat form in which one small model plays any world of steps: a template of four marks, the instructions that the worlds give
 * chat models (worlds/instruct/step-roles.ts), and answers as these ask for them:
 *
 *     policy   <|system|>{instructions}<|end|><|user|>{opening}<|end|><|assistant|> {thought}\nAction: {command}<|end|><|user|>…
 *     judge    <|system|>{instructions}<|end|><|user|>{opening, steps}<|end|><|assistant|> {reason}\nScore: {1 or -1}<|end|>
 *
 * Instructions and reminders never change, so the shared tokenizer has each as one token: the prompts are those of any chat model, to the
 * letter, at about the length of the terse ones of the built-in models.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import * as desktop from '../../worlds/desktop/roles/instruct-roles.ts'
import * as household from '../../worlds/household/roles/instruct-roles.ts'
import { policyResponse, type PlainFormats } from '../../worlds/plain/roles.ts'
import type { EpisodeForm, Spelling } from '../plain-lines.ts'
import { END_OF_RESPONSE } from '../vocabulary.ts'

/** Worlds of steps, whose reward model votes. */
export const SHARED_WORLDS = ['household', 'desktop'] as const
export type SharedWorld = (typeof SHARED_WORLDS)[number]

const [SYSTEM, USER, ASSISTANT] = ['<|system|>', '<|user|>', '<|assistant|>'] as const
export const SPEAKERS = [SYSTEM, USER, ASSISTANT]

/** Jinja source. */
export const CHAT_TEMPLATE =
  `{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '${END_OF_RESPONSE}' }}{% endfor %}` +
  `{% if add_generation_prompt %}{{ '${ASSISTANT}' }}{% endif %}`

/** The template's pieces, as `chatPiecesOf` cuts them. */
export const CHAT_PIECES: ChatPieces = {
  start: SYSTEM,
  systemEnd: END_OF_RESPONSE + USER,
  responseCue: END_OF_RESPONSE + ASSISTANT,
  responseEnd: END_OF_RESPONSE,
  nextUser: USER,
  reserved: [ASSISTANT, SYSTEM, USER, END_OF_RESPONSE],
}

export const CHAT_FORMATS: Readonly<Record<SharedWorld, PlainFormats>> = {
  household: {
    policy: household.instructPolicy(CHAT_PIECES),
    reward: household.instructReward(CHAT_PIECES),
    author: household.instructAuthor(CHAT_PIECES),
  },
  desktop: {
    policy: desktop.instructPolicy(CHAT_PIECES, 'text'),
    reward: desktop.instructReward(CHAT_PIECES),
    author: desktop.instructAuthor(CHAT_PIECES),
  },
}

const CHAT: Spelling = {
  response: (thought, command) => ` ${thought}\nAction: ${command}`,
  judgement: (reasoning, score) => ` ${reasoning}\nScore: ${score}`,
}

export function chatForm(world: SharedWorld): EpisodeForm {
  return { formats: CHAT_FORMATS[world], spelling: CHAT }
}

/** Transcripts of the built-in models as a judge in chat form reads them: the fixed trajectories are theirs (stored-trajectories.ts). */
export function terseTranscripts(world: SharedWorld): EpisodeForm {
  return { formats: CHAT_FORMATS[world], spelling: { ...CHAT, response: policyResponse } }
}

/** Texts of a world's prompts that are the same in every episode: instructions, reminders, and the cue of the judge. */
export function fixedTexts(world: SharedWorld): string[] {
  const { policy, reward } = CHAT_FORMATS[world]
  const around = (prompt: string) => prompt.split(new RegExp(`${SHOWN}|<\\|\\w+\\|>`))
  const ofPolicy = [policy.opening(SHOWN), policy.afterResponse(SHOWN)].flatMap(around)
  const ofJudge = [reward.opening(SHOWN), reward.step({ response: SHOWN, observation: SHOWN }), reward.cue].flatMap(
    around,
  )
  // Who speaks is part of a longer piece, and is a phrase of its own as well.
  return [...new Set([...ofPolicy, ...ofJudge])].map((text) => text.trimEnd()).filter((text) => text !== '')
}

const SHOWN = 'Mshown7'
