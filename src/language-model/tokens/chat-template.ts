/**
 * Chat templates: Jinja programs that make one text of a conversation, as Hugging Face keeps them in tokenizer_config.json or
 * chat_template.jinja. A transcript here only ever grows by appending tokens, so a template is not rendered anew for every turn: it is
 * rendered with marks for contents and cut into pieces around them, and the pieces are held against whole renderings.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'

export interface ChatTemplate {
  /** Jinja. */
  source: string
  /** `bos_token` and the like, by the names that templates have for them. */
  specialTokens: Readonly<Record<string, string>>
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** Renders a conversation; with a cue for the next response if asked to. */
export type ChatRenderer = (messages: readonly ChatMessage[], hasCue: boolean) => string

export class ChatTemplateError extends Error {
  override name = 'ChatTemplateError'
}

/** Templates that know of reasoning are asked to do without: they take it out of earlier turns, which a growing transcript cannot. */
export const WITHOUT_REASONING = { enable_thinking: false } as const

/** Some templates tell the date. It is always this one, Llama 3.2's own default, so that a run of another day reads the same. */
const DATE = '26 Jul 2024'
/** Takes the place of the function that tells the time. Blocks swallow the line break after them. */
const CLOCK = `{% macro strftime_now(format) %}${DATE}{% endmacro %}\n`

const MOST_TURNS = 4
const MARKS = { system: 'Msystem7', user: 'Muser7', response: 'Mresponse7', nextUser: 'Mnext7' } as const
/** What templates may not change: blanks, quotes, markup, other alphabets. Not at the ends, where some trim. */
const contentOf = (role: string, turn: number) => `${role} ${turn}:\n\n  "a" <b>&amp;\t'c'\n{{ d }} – é 語\n${turn}.`

/** `source` names the model in errors. Throws ChatTemplateError. */
export async function chatRenderer(
  { source: template, specialTokens }: ChatTemplate,
  source: string,
  variables: Readonly<Record<string, unknown>> = WITHOUT_REASONING,
): Promise<ChatRenderer> {
  // Loaded for models that have a template alone.
  const { Template } = await import('@huggingface/jinja')
  const failed = (cause: unknown) =>
    new ChatTemplateError(
      `The chat template of "${source}" cannot be rendered (${cause instanceof Error ? cause.message : String(cause)}). Take tokenizer_config.json from the model's own repository, or another model.`,
      { cause },
    )
  let program: InstanceType<typeof Template>
  try {
    program = new Template(CLOCK + template)
  } catch (cause) {
    throw failed(cause)
  }
  return (messages, hasCue) => {
    try {
      return program.render({
        ...specialTokens,
        date_string: DATE,
        ...variables,
        messages,
        add_generation_prompt: hasCue,
      })
    } catch (cause) {
      throw failed(cause)
    }
  }
}

/**
 * The template's pieces. `reserved` are the spellings of the tokenizer's own tokens, one of which must end a response. Throws
 * ChatTemplateError for a template that changes what was said before, and so cannot be appended to.
 *
 * One change is let pass: Qwen3 cues a response without reasoning by an empty block of it, which it leaves out of earlier turns. In
 * our transcripts it stays, as the model has read it.
 */
export function chatPiecesOf(render: ChatRenderer, reserved: readonly string[], source: string): ChatPieces {
  if (!takesSystemMessages(render)) return cutPieces(render, reserved, source, false)
  try {
    return cutPieces(render, reserved, source, true)
  } catch (error) {
    // Mistral's puts them before the last message, wherever that is; the first message of the user stays where it is.
    try {
      return cutPieces(render, reserved, source, false)
    } catch {
      throw error
    }
  }
}

function cutPieces(render: ChatRenderer, reserved: readonly string[], source: string, hasSystem: boolean): ChatPieces {
  const { start, systemEnd, responseCue } = openingPieces(render, hasSystem, source)
  const opening = start + (hasSystem ? MARKS.system + systemEnd : '') + MARKS.user
  const [first, between, last] = cut(
    render(conversation(hasSystem ? MARKS.system : null, [MARKS.user, MARKS.nextUser], [MARKS.response]), true),
    [MARKS.response, MARKS.nextUser],
    source,
  )
  const pastCue = first.startsWith(opening) ? first.slice(opening.length) : null
  if (pastCue === null || last !== responseCue) throw unfit(source, 'words a message otherwise once others follow')
  const hasEmptyReasoning = pastCue !== responseCue
  if (hasEmptyReasoning && !(responseCue.startsWith(pastCue) && isEmptyReasoning(responseCue.slice(pastCue.length))))
    throw unfit(source, `words a response's beginning otherwise once it is over`)
  const tokens = [...reserved].sort((a, b) => b.length - a.length)
  const responseEnd = tokens.find((token) => between.startsWith(token))
  if (responseEnd === undefined)
    throw unfit(source, `ends a response by ${JSON.stringify(between.slice(0, 20))}, which is no token of the model`)
  const nextUser = between.slice(responseEnd.length)
  const pieces: ChatPieces = { start, systemEnd, responseCue, responseEnd, nextUser, reserved: tokens }
  for (let turns = 1; turns <= MOST_TURNS; turns++) verify(render, { pieces, pastCue, hasSystem, turns, source })
  if (!hasEmptyReasoning) refuseForgottenReasoning(render, source)
  return pieces
}

function isEmptyReasoning(text: string): boolean {
  return /^<think>\s*<\/think>\s*$/.test(text)
}

function conversation(
  system: string | null,
  users: readonly string[],
  responses: readonly string[] = [],
): ChatMessage[] {
  const messages: ChatMessage[] = system === null ? [] : [{ role: 'system', content: system }]
  users.forEach((content, turn) => {
    messages.push({ role: 'user', content })
    const response = responses[turn]
    if (response !== undefined) messages.push({ role: 'assistant', content: response })
  })
  return messages
}

/** Some templates refuse them, and some leave them out. */
function takesSystemMessages(render: ChatRenderer): boolean {
  try {
    return render(conversation(MARKS.system, [MARKS.user]), true).includes(MARKS.system)
  } catch {
    return false
  }
}

/** Where there are no system messages, the system's words are the beginning of the user's first. */
function openingPieces(
  render: ChatRenderer,
  hasSystem: boolean,
  source: string,
): Pick<ChatPieces, 'start' | 'systemEnd' | 'responseCue'> {
  if (hasSystem) {
    const text = render(conversation(MARKS.system, [MARKS.user]), true)
    const [start, systemEnd, responseCue] = cut(text, [MARKS.system, MARKS.user], source)
    return { start, systemEnd, responseCue }
  }
  const [start, responseCue] = cut(render(conversation(null, [MARKS.user]), true), [MARKS.user], source)
  return { start, systemEnd: '\n\n', responseCue }
}

type Parts<Marks extends readonly string[]> = [string, ...{ [Index in keyof Marks]: string }]

/** What stands around the marks, each of which must stand there once, in this order. */
function cut<const Marks extends readonly string[]>(text: string, marks: Marks, source: string): Parts<Marks> {
  const parts: string[] = []
  let from = 0
  for (const mark of marks) {
    const at = text.indexOf(mark, from)
    if (at < 0 || text.indexOf(mark) !== at || text.lastIndexOf(mark) !== at)
      throw unfit(source, 'leaves a message out, repeats it or changes it')
    parts.push(text.slice(from, at))
    from = at + mark.length
  }
  return [...parts, text.slice(from)] as unknown as Parts<Marks>
}

interface Verification {
  pieces: ChatPieces
  /** Before a response that is over. */
  pastCue: string
  hasSystem: boolean
  turns: number
  source: string
}

/** Holds what is appended against the conversation rendered whole. */
function verify(render: ChatRenderer, { pieces, pastCue, hasSystem, turns, source }: Verification): void {
  const { start, systemEnd, responseCue, responseEnd, nextUser } = pieces
  const system = contentOf('system', 0)
  const users = Array.from({ length: turns }, (_, turn) => contentOf('user', turn))
  const responses = users.slice(1).map((_, turn) => contentOf('assistant', turn))
  let appended = start + system + systemEnd + users[0]
  for (const [turn, response] of responses.entries())
    appended += pastCue + response + responseEnd + nextUser + users[turn + 1]
  appended += responseCue
  const messages = hasSystem
    ? conversation(system, users, responses)
    : conversation(null, [system + systemEnd + users[0], ...users.slice(1)], responses)
  if (render(messages, true) !== appended)
    throw unfit(
      source,
      `renders a conversation of ${turns} turns as something else than the one of ${turns - 1} goes on`,
    )
}

/** A model that reasons first has its reasoning in the transcript, where a growing one must keep it. */
function refuseForgottenReasoning(render: ChatRenderer, source: string): void {
  const response = `<think>\n${MARKS.system}\n</think>\n\n${MARKS.response}`
  const text = render(conversation(null, [MARKS.user, MARKS.nextUser], [response]), true)
  if (text.includes(response)) return
  throw unfit(source, 'takes the reasoning out of earlier responses')
}

function unfit(source: string, what: string): ChatTemplateError {
  return new ChatTemplateError(
    `The chat template of "${source}" ${what}, so a conversation cannot be gone on with by appending to it. If the model reasons, switch that off (enable_thinking=false, where its template knows that), or choose an instruct model that does not.`,
  )
}
