/** The forms that choose the models of a run, and the sources made of them. They contain no keys. */
import { ROLES, type Role } from '../../method/ports.ts'
import type { World } from '../../method/settings.ts'
import {
  keptSource,
  type ModelRecord,
  type RoleSource,
  type RoleSourceKind,
  type WebLlmModelSource,
  type WeightStorage,
} from '../../roles/source.ts'
import { CATALOGUE, customRecord, featuresFor, type CatalogueModel } from '../../engines/webllm/catalogue.ts'
import { PROJECTIONS, type ProjectionName } from '../../language-model/weights/projection-names.ts'

export type { Role }
export const ROLE_NAMES = ROLES
export const ROLE_TITLES: Readonly<Record<Role, string>> = {
  policy: 'Policy',
  reward: 'Reward model',
  author: 'Author of tasks',
}

const KIND_TITLES: Readonly<Record<RoleSourceKind, string>> = {
  'built-in': 'Built-in model',
  'built-in-webllm': 'Built-in model on WebLLM',
  checkpoint: 'Hugging Face checkpoint',
  webllm: 'WebLLM model',
  openai: 'OpenAI-compatible server',
  tinker: 'Tinker server',
}
export const KINDS = Object.keys(KIND_TITLES) as RoleSourceKind[]

/** The kinds that can play in a world, and the chosen one. WebLLM ships no model for a world of one's own. */
export function kindsFor(world: World, chosen: RoleSourceKind): RoleSourceKind[] {
  return KINDS.filter((kind) => kind === chosen || !(world === 'own' && kind === 'built-in-webllm'))
}

export function kindTitle(kind: RoleSourceKind, world: World): string {
  return world === 'own' && kind === 'built-in' ? 'Model of your world' : KIND_TITLES[kind]
}

/** Instruct checkpoints that fit into a tab. Llama is a copy, since Meta's repository requires an agreement. */
export const CHECKPOINTS: readonly { name: string; repository: string; parameters: number }[] = [
  { name: 'SmolLM2 135M', repository: 'HuggingFaceTB/SmolLM2-135M-Instruct', parameters: 134_515_008 },
  { name: 'SmolLM2 360M', repository: 'HuggingFaceTB/SmolLM2-360M-Instruct', parameters: 361_821_120 },
  { name: 'Qwen2.5 0.5B', repository: 'Qwen/Qwen2.5-0.5B-Instruct', parameters: 494_032_768 },
  { name: 'Qwen3 0.6B', repository: 'Qwen/Qwen3-0.6B', parameters: 596_049_920 },
  { name: 'Llama 3.2 1B', repository: 'unsloth/Llama-3.2-1B-Instruct', parameters: 1_235_814_400 },
  { name: 'Qwen2.5 1.5B', repository: 'Qwen/Qwen2.5-1.5B-Instruct', parameters: 1_543_714_304 },
  { name: 'SmolLM2 1.7B', repository: 'HuggingFaceTB/SmolLM2-1.7B-Instruct', parameters: 1_711_376_384 },
  { name: 'Qwen3 1.7B', repository: 'Qwen/Qwen3-1.7B', parameters: 1_720_574_976 },
]

export function repositoryAddress(repository: string): string {
  return `https://huggingface.co/${repository}/resolve/main/`
}

/** The models in WebLLM's list that can sample for a trained checkpoint: the same model with replaceable weights. */
export function samplersFor(location: string): CatalogueModel[] {
  const folders = location.split('/')
  return CATALOGUE.filter(({ name, quantization }) => folders.includes(name) && quantization.startsWith('q0'))
}

/** The fields of one role; the kind decides which of them count. */
export interface RoleForm {
  kind: RoleSourceKind
  /** The early judge in place of the household's own. */
  isEarly: boolean
  /** WebLLM samples for the built-in model in float16. */
  isHalf: boolean
  location: string
  /** Trains adapters instead of all weights. */
  hasAdapters: boolean
  rank: number
  alpha: number
  dropout: number
  targets: ProjectionName[]
  storage: WeightStorage
  /** 0 means the model's own limit. */
  contextWindow: number
  /** WebLLM samples for the trained checkpoint. */
  isSampled: boolean
  /** From WebLLM's list or your own folder. */
  record: ModelRecord | null
  /** Your own addresses replace `record`. */
  hasOwnAddresses: boolean
  ownName: string
  ownWeights: string
  ownLibrary: string
  /** Its kernels use half precision. */
  ownIsHalf: boolean
  sequences: number
  baseUrl: string
  model: string
  tokenizer: string
  concurrency: number
  timeoutSeconds: number
}

export const FIRST_FORM: RoleForm = {
  kind: 'built-in',
  isEarly: false,
  isHalf: false,
  location: repositoryAddress(CHECKPOINTS[0]!.repository),
  hasAdapters: true,
  rank: 16,
  alpha: 32,
  dropout: 0,
  targets: ['q_proj', 'v_proj'],
  storage: 'float32',
  contextWindow: 2048,
  isSampled: false,
  record: null,
  hasOwnAddresses: false,
  ownName: '',
  ownWeights: '',
  ownLibrary: '',
  ownIsHalf: true,
  sequences: 8,
  baseUrl: 'http://127.0.0.1:8000/v1',
  model: '',
  tokenizer: '',
  concurrency: 16,
  timeoutSeconds: 120,
}

/** Fields for the folder of a model that a run trained. Merged weights are stored as float32 and sampled here. */
export function trainedForm(folder: string, trained: RoleSource | string = { kind: 'built-in' }): Partial<RoleForm> {
  const source = keptSource(trained)
  const { adapters = null, contextWindow = null } = source.kind === 'checkpoint' ? source : {}
  return {
    kind: 'checkpoint',
    location: `local:${folder}`,
    storage: 'float32',
    isSampled: false,
    contextWindow: contextWindow ?? 0,
    hasAdapters: adapters !== null,
    ...(adapters && { ...adapters, targets: [...adapters.targets] }),
  }
}

export type FormResult = { source: RoleSource; problem: null } | { source: null; problem: string }

export function sourceOf(form: RoleForm): FormResult {
  const problem = problemOf(form)
  if (problem !== null) return { source: null, problem }
  const contextWindow = form.contextWindow === 0 ? null : form.contextWindow
  const { kind, location, rank, alpha, dropout, targets, storage, concurrency, timeoutSeconds, model } = form
  const baseUrl = form.baseUrl.trim()
  const webLlm = (): WebLlmModelSource => ({
    record: webLlmRecord(form)!,
    contextWindow: form.contextWindow,
    sequences: form.sequences,
  })
  const source = (): RoleSource => {
    switch (kind) {
      // Absent flags are as in older runs: seeds of one experiment have equal models.
      case 'built-in':
        return { kind, ...(form.isEarly && { isEarly: true }) }
      case 'built-in-webllm':
        return { kind, ...(form.isHalf && { isHalf: true }) }
      case 'checkpoint':
        return {
          kind,
          location: location.trim(),
          adapters: form.hasAdapters ? { rank, alpha, dropout, targets } : null,
          storage,
          contextWindow,
          sampler: form.isSampled ? webLlm() : null,
        }
      case 'webllm':
        return { kind, ...webLlm() }
      case 'openai':
        return { kind, baseUrl, model: model.trim(), concurrency, timeoutSeconds }
      case 'tinker':
        return {
          kind,
          baseUrl,
          baseModel: model.trim(),
          tokenizer: form.tokenizer.trim(),
          rank,
          timeoutSeconds,
        }
    }
  }
  return { source: source(), problem: null }
}

/** Null while none is chosen or the addresses are incomplete. */
export function webLlmRecord(form: RoleForm): ModelRecord | null {
  if (!form.hasOwnAddresses) return form.record
  const { ownName, ownWeights, ownLibrary, ownIsHalf } = form
  try {
    const own = { id: ownName.trim(), model: ownWeights.trim(), library: ownLibrary.trim() }
    return customRecord(own, featuresFor(ownIsHalf ? 'q0f16' : 'q0f32'))
  } catch {
    return null
  }
}

function webLlmProblem(form: RoleForm): string | null {
  if (webLlmRecord(form) === null)
    return form.hasOwnAddresses
      ? 'Enter a name for the WebLLM model and the http(s) addresses of its weights and its library.'
      : 'Choose a WebLLM model.'
  if (form.hasOwnAddresses && CATALOGUE.some(({ id }) => id === form.ownName.trim()))
    return 'WebLLM’s list already has this name. Choose another.'
  return Number.isInteger(form.sequences) && form.sequences >= 1 ? null : 'Enter at least one sequence.'
}

/** What is wrong with WebLLM as the sampler of a checkpoint. */
function samplerProblem(form: RoleForm): string | null {
  if (form.contextWindow === 0) return 'Enter the length of the context: WebLLM reserves memory for it.'
  const isListed = CATALOGUE.some(({ id }) => id === form.record?.model_id)
  const isSame = samplersFor(form.location).some(({ id }) => id === form.record?.model_id)
  if (!form.hasOwnAddresses && isListed && !isSame)
    return 'WebLLM must sample with the trained model in q0f16 or q0f32. Choose it, or enter its addresses.'
  return webLlmProblem(form)
}

function problemOf(form: RoleForm): string | null {
  const isAddress = (text: string) => /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())
  const isCount = (value: number, least: number) => Number.isInteger(value) && value >= least
  switch (form.kind) {
    case 'built-in':
    case 'built-in-webllm':
      return null
    case 'checkpoint':
      if (!isAddress(form.location) && !/^local:./.test(form.location))
        return 'Enter an http(s) address, or choose a folder on this machine.'
      if (form.contextWindow !== 0 && !isCount(form.contextWindow, 64))
        return 'Enter a context of 64 tokens or more, or 0 for the model’s own limit.'
      if (form.isSampled) {
        const problem = samplerProblem(form)
        if (problem !== null) return problem
      }
      if (!form.hasAdapters)
        return form.storage === 'float32'
          ? null
          : 'Training all weights requires float32. Choose it, or train an adapter.'
      if (!isCount(form.rank, 1)) return 'The rank must be a whole number of 1 or more.'
      if (!Number.isFinite(form.alpha)) return 'Alpha must be a number; twice the rank is usual.'
      if (!(form.dropout >= 0 && form.dropout < 1)) return 'The dropout must be at least 0 and below 1.'
      return form.targets.length > 0 ? null : 'Choose at least one projection for the adapter.'
    case 'webllm':
      if (!isCount(form.contextWindow, 64)) return 'Enter a context of 64 tokens or more.'
      return webLlmProblem(form)
    case 'openai':
    case 'tinker':
      if (!isAddress(form.baseUrl)) return 'Enter an http(s) address, such as http://127.0.0.1:8000/v1.'
      if (new URL(form.baseUrl.trim()).username !== '') return 'Remove the key from the address and enter it below.'
      if (form.model.trim() === '') return 'Enter the name that the model has on the server.'
      if (!(form.timeoutSeconds > 0)) return 'The timeout must be above 0 s.'
      if (form.kind === 'openai') return isCount(form.concurrency, 1) ? null : 'Enter at least one request at once.'
      if (form.tokenizer.trim() === '') return 'Enter the folder of the model’s tokenizer.'
      return isCount(form.rank, 1) ? null : 'The rank must be a whole number of 1 or more.'
  }
}

/** Reads stored forms; unreadable fields get their defaults. */
export function parseForms(text: string | null): Record<Role, RoleForm> {
  let kept: Partial<Record<Role, Partial<RoleForm>>> = {}
  try {
    kept = (JSON.parse(text ?? '{}') ?? {}) as typeof kept
  } catch {
    kept = {}
  }
  const form = (role: Role): RoleForm => {
    const fields = Object.entries(Object(kept[role]) as object).filter(
      ([name, value]) =>
        name in FIRST_FORM &&
        (name === 'record' ? isRecord(value) : typeof value === typeof FIRST_FORM[name as keyof RoleForm]) &&
        (name !== 'targets' ||
          (Array.isArray(value) && value.every((target) => PROJECTIONS.some((name) => name === target)))) &&
        (name !== 'kind' || KINDS.includes(value as RoleSourceKind)),
    )
    return { ...FIRST_FORM, ...(Object.fromEntries(fields) as Partial<RoleForm>) }
  }
  return { policy: form('policy'), reward: form('reward'), author: form('author') }
}

function isRecord(value: unknown): boolean {
  const record = Object(value) as Partial<Record<string, unknown>>
  return ['model_id', 'model', 'model_lib'].every((name) => typeof record[name] === 'string')
}

/** "1.3 GB", "270 MB" */
export function modelSize(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

export function timeLeft(seconds: number | null): string {
  if (seconds === null) return ''
  return seconds < 90 ? `${Math.ceil(seconds)} s left` : `${Math.ceil(seconds / 60)} min left`
}
