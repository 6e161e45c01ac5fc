/** The chat templates and tokenizers of scripts/reference/make_chat_fixtures.py, for comparing prompts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { addedTokensOf, readChatTemplate } from '../../../src/language-model/tokens/chat-template-files.ts'
import { chatPiecesOf, chatRenderer, type ChatRenderer } from '../../../src/language-model/tokens/chat-template.ts'
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
