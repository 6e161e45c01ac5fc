/**
 * Opens the model of one role, by its kind. Our own transformer and WebLLM run in a supervised worker; servers are called from
 * the loop's own thread.
 */
import type { BackendName } from '../language-model/backends/backend.ts'
import { deriveSeed } from '../method/random.ts'
import type { Settings } from '../method/settings.ts'
import type { WorkerLostError } from '../threads/errors.ts'
import { OpenAiModel } from '../engines/openai/openai-model.ts'
import { ContextBoundModel, type FullContextSize } from '../roles/context.ts'
import { RoleModelError } from '../roles/error.ts'
import { laterModelFiles } from '../engines/transformer/model-files.ts'
import { shippedFolder, shippedModel } from '../roles/shipped-models.ts'
import {
  keyFor,
  type CheckpointSource,
  type RoleSource,
  type ServerKeys,
  type WebLlmModelSource,
} from '../roles/source.ts'
import type { ShippedQuantization } from '../engines/webllm/shipped-models.ts'
import type { WebLlmRolePlace } from '../engines/webllm/webllm-role.ts'
import { ReplicatedModel } from '../engines/transformer/replicated-model.ts'
import {
  SupervisedModel,
  type SupervisedModelOptions,
  type WorkerModel,
} from '../engines/transformer/supervised-model.ts'
import { TransformerCopy } from '../engines/transformer/transformer-copy.ts'
import { TinkerModel } from '../engines/tinker/tinker-model.ts'
import type { TransformerModel, TransformerSource } from '../engines/transformer/transformer-model.ts'
import type { Role } from '../method/ports.ts'
import type { RoleModel, ModelInfo, OnBytes } from '../roles/role-model.ts'
import { memoryPlan } from '../engines/webllm/memory-guard.ts'
import type { WebLlmSource } from '../engines/webllm/loaded-model.ts'
import type { Bridge } from '../threads/worker-bridge.ts'
import type { RoleGrammars } from '../worlds/world.ts'
import { errorText } from '../threads/error-text.ts'

/** How the page or the command line starts the workers of models. */
export interface RoleHost {
  /** Folder of a shipped model, by its name. */
  shippedModel(name: string): string
  startModel(role: Role): Bridge<TransformerModel>
  /** Workers that sample for a built-in or small policy or reward model; 1 by default. */
  samplers?: number
  /** Null outside of a browser, where WebLLM cannot run. */
  startWebLlm: ((role: Role) => Bridge<WorkerModel<WebLlmRolePlace>>) | null
}

export interface RoleContext {
  host: RoleHost
  settings: Settings
  backend: BackendName
  keys: ServerKeys
  /** Roles with a model of one's own that is as small as a built-in one (small-models.ts). */
  small?: ReadonlySet<Role>
  /** For roles that WebLLM plays. */
  grammars?: Record<Role, RoleGrammars>
  onBytes?: OnBytes
  onRestart?: (loss: WorkerLostError) => void
  /** Something to show although the run continues. */
  onNotice?: (text: string) => void
  onFullContext?: (role: Role, size: FullContextSize | null) => void
}

export interface OpenedRole {
  model: RoleModel
  /** Loads the model, or probes the server. Call once. */
  load(): Promise<ModelInfo>
  close(): void
}

/** Throws RoleModelError if this kind of model cannot run here. Loads nothing yet. */
export function openRole(role: Role, source: RoleSource, context: RoleContext): OpenedRole {
  const opened = openEngine(role, source, context)
  let maxPositions = Infinity
  return {
    ...opened,
    model: new ContextBoundModel(opened.model, {
      maxPositions: () => maxPositions,
      onFull: (size) => context.onFullContext?.(role, size),
    }),
    async load() {
      const info = await opened.load()
      maxPositions = info.maxPositions
      return info
    },
  }
}

function openEngine(role: Role, source: RoleSource, context: RoleContext): OpenedRole {
  const { host, backend, settings } = context
  switch (source.kind) {
    case 'built-in': {
      const location = host.shippedModel(shippedFolder(source, settings.world, role))
      return inWorkers(role, { location, backend }, context)
    }
    case 'built-in-webllm':
      return openShippedOnWebLlm(role, source.isHalf ? 'q0f16' : 'q0f32', context)
    case 'checkpoint':
      return openCheckpoint(role, source, context)
    case 'webllm':
      return withWebLlm(role, { sampler: webLlmSource(source), trainer: null }, context)
    case 'openai': {
      const model = new OpenAiModel({ source, key: keyFor(context.keys, source.baseUrl) })
      return { model, load: () => model.load(), close: () => model.close() }
    }
    case 'tinker': {
      const model = new TinkerModel({
        source,
        key: keyFor(context.keys, source.baseUrl),
        files: laterModelFiles(source.tokenizer),
        seed: deriveSeed(settings.seed, 'adapters', role),
        ...(context.onNotice && { onNotice: context.onNotice }),
      })
      return { model, load: () => model.load(), close: () => model.close() }
    }
  }
}

/** Every shipped model can read this many tokens. */
const SHIPPED_CONTEXT = 4096
const SHIPPED_SEQUENCES = 16

/** WebLLM alone for the author, who does not learn. */
function openShippedOnWebLlm(role: Role, quantization: ShippedQuantization, context: RoleContext): OpenedRole {
  const location = context.host.shippedModel(shippedModel(context.settings.world, role))
  const sampler = { location, quantization, ...memoryPlan(SHIPPED_CONTEXT, SHIPPED_SEQUENCES) }
  if (role === 'author') return withWebLlm(role, { sampler, trainer: null }, context)
  const checkpoint = {
    adapters: null,
    storage: 'float32',
    contextWindow: null,
    isTrained: isTrained(role, context.settings),
    adapterSeed: 0,
  } as const
  return withWebLlm(role, { sampler, trainer: { location, backend: context.backend, checkpoint } }, context)
}

function isTrained(role: Role, settings: Settings): boolean {
  return (role === 'policy' && settings.trainPolicy) || (role === 'reward' && settings.trainReward)
}

function openCheckpoint(role: Role, source: CheckpointSource, context: RoleContext): OpenedRole {
  const { host, backend, settings } = context
  const checkpoint = {
    adapters: source.adapters,
    storage: source.storage,
    contextWindow: source.contextWindow,
    isTrained: isTrained(role, settings),
    adapterSeed: deriveSeed(settings.seed, 'adapters', role),
  }
  const place = { location: source.location, backend, checkpoint }
  if (source.sampler !== null)
    return withWebLlm(role, { sampler: webLlmSource(source.sampler), trainer: place }, context)
  if (context.small?.has(role)) return inWorkers(role, { ...place, samplers: 1 }, context)
  return inWorker<TransformerSource>(role, place, () => host.startModel(role), context)
}

function withWebLlm(role: Role, models: Omit<WebLlmRolePlace, 'grammars'>, context: RoleContext): OpenedRole {
  const { startWebLlm } = context.host
  if (startWebLlm === null) throw needsBrowser(role)
  const place = { ...models, grammars: context.grammars?.[role] ?? { plain: null, instruct: null } }
  return inWorker(role, place, () => startWebLlm(role), context)
}

/** Sampling on one graphics device gains nothing from more workers, and the author writes too little. */
function inWorkers(role: Role, source: TransformerSource, context: RoleContext): OpenedRole {
  const { host, onNotice } = context
  const samplers = source.backend === 'cpu' && role !== 'author' ? (host.samplers ?? 1) : 1
  if (samplers === 1) return inWorker(role, source, () => host.startModel(role), context)
  const { onBytes: _, ...quiet } = context
  const model = new ReplicatedModel({
    samplers,
    copy: (index) =>
      new TransformerCopy({
        name: role,
        source: { ...source, samplers },
        startWorker: () => host.startModel(role),
        ...listenersOf(index === 0 ? context : quiet),
      }),
    onLost(error) {
      const why = errorText(error)
      onNotice?.(
        `One of the ${samplers} workers that sample for the ${role} was lost, and the first does its share: ${why}`,
      )
    },
  })
  return { model, load: () => model.load(), close: () => model.close() }
}

function inWorker<Source>(
  name: Role,
  source: Source,
  startWorker: () => Bridge<WorkerModel<Source>>,
  context: RoleContext,
): OpenedRole {
  const model = supervised(name, source, startWorker, context)
  return { model, load: () => model.load(), close: () => model.close() }
}

function supervised<Source>(
  name: Role,
  source: Source,
  startWorker: () => Bridge<WorkerModel<Source>>,
  context: RoleContext,
): SupervisedModel<Source> {
  return new SupervisedModel<Source>({ name, source, startWorker, ...listenersOf(context) })
}

function listenersOf({
  onBytes,
  onRestart,
}: RoleContext): Pick<SupervisedModelOptions<unknown>, 'onBytes' | 'onRestart'> {
  return { ...(onBytes && { onBytes }), ...(onRestart && { onRestart }) }
}

export function webLlmSource({ record, contextWindow, sequences }: WebLlmModelSource): WebLlmSource {
  return { record, ...memoryPlan(contextWindow, sequences) }
}

function needsBrowser(role: Role): RoleModelError {
  return new RoleModelError(role, {
    what: `The ${role} model cannot be opened.`,
    why: 'WebLLM runs only in browsers.',
    remedy: 'Run it on the page, or choose a checkpoint or a server here.',
  })
}
