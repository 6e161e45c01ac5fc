/**
 * Chat templates: Jinja programs that turn a conversation into one text, in Hugging Face's tokenizer_config.json or
 * chat_template.jinja. Transcripts here only grow by appending tokens, so a template is not rendered for every turn: it is rendered
 * once with marks as contents, cut into pieces around them, and the pieces are verified against whole renderings.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'

export interface ChatTemplate {
  /** Jinja source. */
  source: string
  /** `bos_token` and the like, by their names in templates. */
  specialTokens: Readonly<Record<string, string>>
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** Renders a conversation, optionally with a cue for the next response. */
export type ChatRenderer = (messages: readonly ChatMessage[], hasCue: boolean) => string

export class ChatTemplateError extends Error {
  override name = 'ChatTemplateError'
}

/** Switches reasoning off: templates remove it from earlier turns, which a growing transcript cannot do. */
export const WITHOUT_REASONING = { enable_thinking: false } as const

/** The date for templates that print one: Llama 3.2's default, so that runs do not depend on the day. */
const DATE = '26 Jul 2024'
/** Replaces the function that formats the current time. Blocks swallow the line break after them. */
const CLOCK = `{% macro strftime_now(format) %}${DATE}{% endmacro %}\n`

const MOST_TURNS = 4
const MARKS = { system: 'Msystem7', user: 'Muser7', response: 'Mresponse7', nextUser: 'Mnext7' } as const
/** Text that a template must not change: blanks, quotes, markup, other alphabets. Not at the ends, which some templates trim. */
const contentOf = (role: string, turn: number) => `${role} ${turn}:\n\n  "a" <b>&amp;\t'c'\n{{ d }} – é 語\n${turn}.`

/** `source` names the model in errors. Throws ChatTemplateError. */
export async function chatRenderer(
  { source: template, specialTokens }: ChatTemplate,
  source: string,
  variables: Readonly<Record<string, unknown>> = WITHOUT_REASONING,
): Promise<ChatRenderer> {
  // Loaded only for models that have a template.
  const { Template } = await import('@huggingface/jinja')
  const failed = (cause: unknown) =>
    new ChatTemplateError(
      `The chat template of "${source}" cannot be rendered (${cause instanceof Error ? cause.message : String(cause)}). Take tokenizer_config.json from the model's own repository, or use another model.`,
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
        // transformers passes None where there are none, which templates tell from undefined.
        tools: null,
        documents: null,
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
 * The template's pieces. `reserved` has the spellings of the tokenizer's own tokens, one of which must end a response. Throws
 * ChatTemplateError for a template that changes earlier messages and therefore cannot be appended to.
 *
 * One change is allowed: Qwen3 cues a response without reasoning with an empty reasoning block, which it omits from earlier turns.
 * In our transcripts it stays, because the model has read it.
 */
export function chatPiecesOf(render: ChatRenderer, reserved: readonly string[], source: string): ChatPieces {
  if (!takesSystemMessages(render)) return cutPieces(render, reserved, source, false)
  try {
    return cutPieces(render, reserved, source, true)
  } catch (error) {
    // Mistral's template puts them before the last message; the user's first message does not move.
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
  if (pastCue === null || last !== responseCue) throw unfit(source, 'changes a message once others follow')
  const hasEmptyReasoning = pastCue !== responseCue
  if (hasEmptyReasoning && !(responseCue.startsWith(pastCue) && isEmptyReasoning(responseCue.slice(pastCue.length))))
    throw unfit(source, `changes the beginning of a response once it has ended`)
  const tokens = [...reserved].sort((a, b) => b.length - a.length)
  const responseEnd = tokens.find((token) => between.startsWith(token))
  if (responseEnd === undefined)
    throw unfit(
      source,
      `ends a response with ${JSON.stringify(between.slice(0, 20))}, which is not a token of the model`,
    )
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

/** False for templates that refuse or omit system messages. */
function takesSystemMessages(render: ChatRenderer): boolean {
  try {
    return render(conversation(MARKS.system, [MARKS.user]), true).includes(MARKS.system)
  } catch {
    return false
  }
}

/** Without system messages, the system's text begins the user's first message. */
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

/** The text around the marks, each of which must occur once, in this order. */
function cut<const Marks extends readonly string[]>(text: string, marks: Marks, source: string): Parts<Marks> {
  const parts: string[] = []
  let from = 0
  for (const mark of marks) {
    const at = text.indexOf(mark, from)
    if (at < 0 || text.indexOf(mark) !== at || text.lastIndexOf(mark) !== at)
      throw unfit(source, 'omits, repeats or changes a message')
    parts.push(text.slice(from, at))
    from = at + mark.length
  }
  return [...parts, text.slice(from)] as unknown as Parts<Marks>
}

interface Verification {
  pieces: ChatPieces
  /** Text before a finished response. */
  pastCue: string
  hasSystem: boolean
  turns: number
  source: string
}

/** Verifies appended pieces against the conversation rendered whole. */
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
    throw unfit(source, `renders ${turns} turns differently from ${turns - 1} turns with one appended`)
}

/** Refuses a template that removes earlier reasoning, which a growing transcript must keep. */
function refuseForgottenReasoning(render: ChatRenderer, source: string): void {
  const response = `<think>\n${MARKS.system}\n</think>\n\n${MARKS.response}`
  const text = render(conversation(null, [MARKS.user, MARKS.nextUser], [response]), true)
  if (text.includes(response)) return
  throw unfit(source, 'removes the reasoning from earlier responses')
}

function unfit(source: string, what: string): ChatTemplateError {
  return new ChatTemplateError(
    `The chat template of "${source}" ${what}, so conversations cannot grow by appending. If the model reasons, switch that off (enable_thinking=false, if its template supports it), or choose an instruct model that does not reason.`,
  )
}
