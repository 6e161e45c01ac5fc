/**
 * Reads a model folder's chat template: chat_template.jinja, which newer folders have and which takes precedence, or
 * `chat_template` in tokenizer_config.json. Its special tokens are in the latter and in special_tokens_map.json.
 */
import * as v from 'valibot'
import type { ChatTemplate } from './chat-template.ts'
import { ModelFileError, type ModelReader, readOptional, readOptionalJson } from '../files/model-reader.ts'

/** A token's spelling, or an object with it. */
const TokenField = v.union([v.string(), v.object({ content: v.string() })])
const NamedTemplate = v.object({ name: v.string(), template: v.string() })
const TokenizerConfig = v.object({
  chat_template: v.nullish(v.union([v.string(), v.array(NamedTemplate)])),
})
const AddedTokens = v.object({ added_tokens: v.nullish(v.array(v.object({ content: v.string() })), []) })

/** Name of the template for conversations without tools, if there are several. */
const DEFAULT_TEMPLATE = 'default'

/** The files that `readChatTemplate` asks for. A folder has some of them. */
export const TEMPLATE_FILES = ['chat_template.jinja', 'tokenizer_config.json', 'special_tokens_map.json']

/** Null if the folder has no template, like models that continue plain text. Throws ModelFileError if a file cannot be read. */
export async function readChatTemplate(reader: ModelReader): Promise<ChatTemplate | null> {
  const [jinja, config, map] = await Promise.all([
    readOptional(reader, 'chat_template.jinja'),
    readOptionalJson(reader, 'tokenizer_config.json'),
    readOptionalJson(reader, 'special_tokens_map.json'),
  ])
  const source = jinja ? new TextDecoder().decode(jinja) : templateOf(config, reader.name)
  if (source === null) return null
  return { source, specialTokens: { ...tokensOf(map), ...tokensOf(config) } }
}

/** Spellings that a tokenizer.json always reads as single tokens: `reserved` of the pieces. */
export function addedTokensOf(tokenizerJson: unknown): string[] {
  const read = v.safeParse(AddedTokens, tokenizerJson)
  return read.success ? read.output.added_tokens.map(({ content }) => content) : []
}

function templateOf(config: unknown, model: string): string | null {
  if (config === null) return null
  const read = v.safeParse(TokenizerConfig, config)
  if (!read.success)
    throw new ModelFileError(
      `tokenizer_config.json of "${model}" cannot be read: chat_template is neither a string nor a list of named templates. Take the file from the model's own repository.`,
    )
  const { chat_template: found } = read.output
  if (found === null || found === undefined || typeof found === 'string') return found ?? null
  return found.find(({ name }) => name === DEFAULT_TEMPLATE)?.template ?? null
}

/** `bos_token` and the like; ignores all other fields. */
function tokensOf(fields: unknown): Record<string, string> {
  const tokens: Record<string, string> = {}
  if (typeof fields !== 'object' || fields === null) return tokens
  for (const [name, field] of Object.entries(fields)) {
    const read = name.endsWith('_token') ? v.safeParse(TokenField, field) : null
    if (read?.success) tokens[name] = typeof read.output === 'string' ? read.output : read.output.content
  }
  return tokens
}
