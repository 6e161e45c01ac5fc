/** Checks that a loaded model has every internal that is used here, and opens them. */
import {
  COMPILED,
  FORK,
  GPU_CONTEXT,
  NEEDED,
  TENSOR_METHODS,
  type Lock,
  type PackedFunction,
  type Pipeline,
} from './own-names.ts'
import type { PublicEngine } from './surface.ts'
import { WebLlmInternals } from './webllm-internals.ts'
import { errorText } from '../../threads/error-text.ts'

export type InternalsFound = { internals: WebLlmInternals; missing: [] } | { internals: null; missing: string[] }

/** Call again after every load. Never throws: `missing` names unavailable internals. */
export function openInternals(engine: PublicEngine, modelId: string): InternalsFound {
  const read = (path: string, from: unknown): unknown =>
    path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], from)
  const missing: string[] = []
  const pipelines: unknown = Reflect.get(engine, 'loadedModelIdToPipeline')
  const locks: unknown = Reflect.get(engine, 'loadedModelIdToLock')
  if (!(pipelines instanceof Map)) missing.push('engine.loadedModelIdToPipeline')
  if (!(locks instanceof Map)) missing.push('engine.loadedModelIdToLock')
  if (!(pipelines instanceof Map) || !(locks instanceof Map)) return { internals: null, missing }
  const pipeline = pipelines.get(modelId) as Pipeline | undefined
  const lock = locks.get(modelId) as Lock | undefined
  if (!pipeline) return { internals: null, missing: [`engine.loadedModelIdToPipeline.get("${modelId}")`] }
  for (const name of ['acquire', 'release']) if (typeof read(name, lock) !== 'function') missing.push(`lock.${name}`)
  for (const [path, kind] of NEEDED)
    if (typeof read(path, pipeline) !== kind) missing.push(`pipeline.${path} (${kind})`)
  if (missing.length > 0) return { internals: null, missing }

  const { tvm, vm } = pipeline
  tvm.beginScope()
  try {
    const found = new Map<string, PackedFunction>()
    const look = (name: string, get: (name: string) => PackedFunction) => {
      try {
        const compiled = get(name)
        if (typeof compiled !== 'function') throw new TypeError(name)
        found.set(name, tvm.detachFromCurrentScope(compiled))
      } catch {
        missing.push(`function ${name}`)
      }
    }
    for (const name of COMPILED) look(name, (compiled) => vm.getFunction(compiled))
    look(FORK, (global) => tvm.getGlobalFunc(global))
    const first = pipeline.params.get(0)
    for (const name of TENSOR_METHODS) if (typeof first[name] !== 'function') missing.push(`tensor.${name}`)
    const context: unknown = read('lib.webGPUContext', tvm)
    for (const name of GPU_CONTEXT) if (typeof read(name, context) !== 'function') missing.push(`webGPUContext.${name}`)
    if (missing.length > 0) return { internals: null, missing }
    return { internals: new WebLlmInternals(pipeline, lock!, found), missing: [] }
  } catch (error) {
    return { internals: null, missing: [`${errorText(error)} (while looking)`] }
  } finally {
    tvm.endScope()
  }
}
