/** The chat templates and tokenizers of scripts/reference/make_chat_fixtures.py, for comparing prompts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { addedTokensOf, readChatTemplate } from '../../../src/language-model/tokens/chat-template-files.ts'
import {
  chatPiecesOf,
  chatRenderer,
  type ChatMessage,
  type ChatRenderer,
} from '../../../src/language-model/tokens/chat-template.ts'
import { folderReader } from '../../../src/language-model/files/folder-reader.ts'
import { Tokenizer } from '../../../src/language-model/tokens/tokenizer.ts'
import type { ChatPieces } from '../../../src/method/chat-pieces.ts'

export interface ChatModel {
  name: string
  pieces: ChatPieces
  render: ChatRenderer
  /** The special tokens in a text, in order. */
  controlTokens(text: string): number[]
}

export const chatModels: readonly ChatModel[] = await Promise.all(
  ['smollm2', 'qwen2', 'qwen3', 'llama3'].map(async (name): Promise<ChatModel> => {
    const folder = join(import.meta.dirname, '../../language-model/fixtures/chat', name)
    const tokenizerJson: unknown = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'))
    const tokenizer = new Tokenizer(tokenizerJson, name)
    const template = await readChatTemplate(folderReader(folder))
    if (!template) throw new Error(`${name} has no chat template.`)
    const render = await chatRenderer(template, name)
    const pieces = chatPiecesOf(render, addedTokensOf(tokenizerJson), name)
    const own = new Set(pieces.reserved.map((spelling) => tokenizer.tokenId(spelling)))
    return {
      name,
      pieces,
      render,
      controlTokens: (text) => Array.from(tokenizer.encode(text)).filter((token) => own.has(token)),
    }
  }),
)

export interface PolicyPrompts {
  opening: string
  /** What the first message of the user starts with. */
  user: string
  response: string
  later: string
}

/** A policy's prompts and the response between them are what the chat template makes of the conversation. */
export function expectRendered({ name, pieces, render }: ChatModel, { opening, user, response, later }: PolicyPrompts) {
  const { responseEnd, start, systemEnd, nextUser, responseCue } = pieces
  const at = opening.indexOf(user)
  const messages: ChatMessage[] = [
    { role: 'system', content: opening.slice(start.length, at - systemEnd.length) },
    { role: 'user', content: opening.slice(at, opening.length - responseCue.length) },
    { role: 'assistant', content: response },
    { role: 'user', content: later.slice(nextUser.length, later.length - responseCue.length) },
  ]
  const said = response + responseEnd
  const transcript = opening + said + later
  // Finished responses omit the reasoning part of the cue, see chat-template.ts.
  const past = name === 'qwen3' ? transcript.replace(`<think>\n\n</think>\n\n${said}`, said) : transcript
  expect(past).toBe(render(messages, true))
}

/** Any text, often with special tokens of some model, whole or in parts, and with answer lines. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom('<|im_end|>', '<|im_start|>', '<|eot_id|>', '<|begin_of_text|>', '<think>', '</think>', '<|im_', 'end|>', '<', '|>', '< |im_end|>', '<|start_header_id|>assistant<|end_header_id|>', '\n', '\r', '\u2028', ' '), // prettier-ignore
        fc.constantFrom('Action: go to shelf 1', 'Score: 1', 'Score: -1', 'Game: You win!', 'Agent:', 'Rewrite: no hints', '```js\n', '```', 'score', '1', '"question"', 'Input:', 'Output:'), // prettier-ignore
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
    )
    .map((parts) => parts.join('')),
)
