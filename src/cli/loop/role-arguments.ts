/**
 * Which model plays a role, on the command line:
 *
 *     built-in                                   the model that we ship
 *     PATH, https://…                            a Hugging Face folder, played by our own transformer
 *     hf:ORGANISATION/NAME[@REVISION]            such a folder on huggingface.co
 *     openai:BASE-ADDRESS#MODEL                  a server with OpenAI's interface
 *     tinker:BASE-ADDRESS#BASE-MODEL             a server with Tinker's
 *     {"kind": …}                                any source (src/roles/source.ts); defaults as above
 */
import * as v from 'valibot'
import { WEIGHT_STORAGES, type RoleSource, type ServerKeys } from '../../roles/source.ts'
import { serverAddress } from '../../roles/source.ts'
import { checkLoraOptions, LoraError, type LoraOptions } from '../../language-model/lora/options.ts'
import { PROJECTIONS } from '../../language-model/weights/projection-names.ts'
import { errorText } from '../../threads/error-text.ts'

/** Keys come from the environment, because other users of a machine see command lines and shells keep them. */
export const KEY_VARIABLES = { openai: 'OPENAI_API_KEY', tinker: 'TINKER_API_KEY' } as const

export class RoleArgumentError extends Error {
  override readonly name = 'RoleArgumentError'
}

export const DEFAULT_LORA: LoraOptions = { rank: 16, alpha: 32, dropout: 0, targets: PROJECTIONS }
const REQUESTS_AT_ONCE = 16
const TIMEOUT_SECONDS = 300
const HUGGING_FACE = 'https://huggingface.co'

const count = v.pipe(v.number(), v.integer(), v.minValue(1))
const webLlmEntries = {
  record: v.looseObject({ model_id: v.string(), model: v.string(), model_lib: v.string() }),
  contextWindow: count,
  sequences: count,
}
const timeoutSeconds = v.optional(v.pipe(v.number(), v.gtValue(0)), TIMEOUT_SECONDS)
const sourceSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('built-in'), isEarly: v.optional(v.boolean()) }),
  v.strictObject({ kind: v.literal('built-in-webllm'), isHalf: v.optional(v.boolean()) }),
  v.strictObject({
    kind: v.literal('checkpoint'),
    location: v.string(),
    adapters: v.optional(
      v.nullable(
        v.strictObject({
          rank: v.number(),
          alpha: v.number(),
          dropout: v.optional(v.number(), 0),
          targets: v.optional(v.array(v.picklist(PROJECTIONS)), [...PROJECTIONS]),
        }),
      ),
    ),
    storage: v.optional(v.picklist(WEIGHT_STORAGES), 'float32'),
    contextWindow: v.optional(v.nullable(count), null),
    sampler: v.optional(v.nullable(v.strictObject(webLlmEntries)), null),
  }),
  v.strictObject({ kind: v.literal('webllm'), ...webLlmEntries }),
  v.strictObject({
    kind: v.literal('openai'),
    baseUrl: v.string(),
    model: v.string(),
    concurrency: v.optional(count, REQUESTS_AT_ONCE),
    timeoutSeconds,
  }),
  v.strictObject({
    kind: v.literal('tinker'),
    baseUrl: v.string(),
    baseModel: v.string(),
    tokenizer: v.optional(v.string()),
    rank: v.optional(count),
    timeoutSeconds,
  }),
])

/**
 * `lora` is the default for checkpoints and Tinker models that do not name their adapters; null trains all weights of a checkpoint.
 * Throws RoleArgumentError.
 */
export function parseRoleSource(text: string, lora: LoraOptions | null): RoleSource {
  const spec = text.trim()
  if (spec === '') throw new RoleArgumentError('is empty; use a folder, hf:ORGANISATION/NAME, or "built-in"')
  if (spec === 'built-in') return { kind: 'built-in' }
  if (spec.startsWith('{')) return fromJson(spec, lora)
  const [, kind, address = '', model = ''] = /^(openai|tinker):([^#]*)(?:#(.*))?$/s.exec(spec) ?? []
  if (kind === 'openai') {
    const baseUrl = webAddress(address)
    if (model === '') throw new RoleArgumentError(`names no model; write openai:${address}#MODEL`)
    return { kind, baseUrl, model, concurrency: REQUESTS_AT_ONCE, timeoutSeconds: TIMEOUT_SECONDS }
  }
  if (kind === 'tinker') {
    const baseUrl = webAddress(address)
    if (model === '') throw new RoleArgumentError(`names no base model; write tinker:${address}#BASE-MODEL`)
    const tokenizer = tokenizerOf(model)
    return { kind, baseUrl, baseModel: model, tokenizer, rank: tinkerRank(lora), timeoutSeconds: TIMEOUT_SECONDS }
  }
  return checkpoint(folderAddress(spec), lora)
}

/** `rank=16,alpha=32,dropout=0,targets=all`, targets joined by +; `none` for all weights. Throws RoleArgumentError. */
export function parseLora(text: string): LoraOptions | null {
  if (text.trim() === 'none') return null
  const options = { ...DEFAULT_LORA }
  let hasAlpha = false
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim())
    if (name === 'targets') options.targets = targetsOf(value)
    else if (name === 'rank' || name === 'alpha' || name === 'dropout') {
      const number = Number(value)
      if (value === '' || !Number.isFinite(number))
        throw new RoleArgumentError(`${name} must be a number, not "${value}"`)
      options[name] = number
      hasAlpha ||= name === 'alpha'
    } else {
      throw new RoleArgumentError(
        `has no "${name}"; it is "none", or made of rank=, alpha=, dropout= and targets=, joined by commas`,
      )
    }
  }
  // Twice the rank is the usual alpha.
  if (!hasAlpha) options.alpha = 2 * options.rank
  return checked(options)
}

/** Keys of the servers among the sources, from the environment. */
export function keysFrom(
  sources: Iterable<RoleSource>,
  environment: Readonly<Record<string, string | undefined>>,
): ServerKeys {
  const keys: Record<string, string> = {}
  for (const source of sources) {
    if (source.kind !== 'openai' && source.kind !== 'tinker') continue
    const key = environment[KEY_VARIABLES[source.kind]]
    if (key) keys[serverAddress(source.baseUrl)] = key
  }
  return keys
}

function fromJson(text: string, lora: LoraOptions | null): RoleSource {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new RoleArgumentError(`is not JSON (${errorText(cause)})`, { cause })
  }
  const parsed = v.safeParse(sourceSchema, json)
  if (!parsed.success) {
    const issue = parsed.issues[0]
    throw new RoleArgumentError(`is not a source: ${v.getDotPath(issue) ?? 'the object'}: ${issue.message}`)
  }
  const source = parsed.output
  switch (source.kind) {
    case 'checkpoint': {
      const { adapters } = source
      const trained = adapters === undefined ? lora : adapters && checked(adapters)
      return { ...source, location: folderAddress(source.location), adapters: trained }
    }
    case 'openai':
      return { ...source, baseUrl: webAddress(source.baseUrl) }
    case 'tinker': {
      const tokenizer = source.tokenizer === undefined ? tokenizerOf(source.baseModel) : folderAddress(source.tokenizer)
      return { ...source, baseUrl: webAddress(source.baseUrl), tokenizer, rank: source.rank ?? tinkerRank(lora) }
    }
    default:
      return source
  }
}

/** A Tinker server trains adapters and decides everything about them except their rank. */
function tinkerRank(lora: LoraOptions | null): number {
  const takesIt =
    lora !== null && lora.alpha === 2 * lora.rank && lora.dropout === 0 && lora.targets.length === PROJECTIONS.length
  if (takesIt) return lora.rank
  throw new RoleArgumentError(
    'a Tinker server takes only the rank of --lora; write --lora rank=N, or name the rank in a source {"kind":"tinker",…,"rank":N}',
  )
}

function checkpoint(location: string, adapters: LoraOptions | null): RoleSource {
  return { kind: 'checkpoint', location, adapters, storage: 'float32', contextWindow: null, sampler: null }
}

/** A server names its base models like Hugging Face, or by a path on its own machine. */
function tokenizerOf(baseModel: string): string {
  return /^[\w.-]+\/[\w.-]+$/.test(baseModel) ? folderAddress(`hf:${baseModel}`) : baseModel
}

/** "hf:HuggingFaceTB/SmolLM2-135M-Instruct" -> ".../resolve/main"; others stay unchanged. */
function folderAddress(location: string): string {
  if (!location.startsWith('hf:')) return location
  const [, repository, revision = 'main'] = /^hf:([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/.exec(location) ?? []
  if (repository === undefined) {
    throw new RoleArgumentError(
      `"${location}" names no repository; write hf:ORGANISATION/NAME, optionally with @REVISION`,
    )
  }
  return `${HUGGING_FACE}/${repository}/resolve/${revision}`
}

function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RoleArgumentError(
      `"${text}" is not an http(s) address; write the whole address: http://127.0.0.1:8000/v1`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new RoleArgumentError(
      `the address contains a name or password; pass keys in ${Object.values(KEY_VARIABLES).join(' or ')}`,
    )
  }
  return serverAddress(text)
}

function targetsOf(text: string): LoraOptions['targets'] {
  if (text === 'all') return PROJECTIONS
  const names = text.split('+').map((name) => name.trim())
  const unknown = names.find((name) => !PROJECTIONS.some((known) => known === name))
  if (unknown !== undefined) {
    throw new RoleArgumentError(`targets has "${unknown}"; use all, or some of ${PROJECTIONS.join(', ')}, joined by +`)
  }
  return PROJECTIONS.filter((name) => names.includes(name))
}

function checked(options: LoraOptions): LoraOptions {
  try {
    checkLoraOptions(options)
  } catch (error) {
    // Messages of this kind of error are parts of a sentence.
    if (error instanceof LoraError) throw new RoleArgumentError(error.message.replace(/\.$/, ''), { cause: error })
    throw error
  }
  return options
}
