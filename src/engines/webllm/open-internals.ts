/** Checks that a loaded model has every internal that is used here, and opens them. */
import { missingNames } from './missing-names.ts'
import {
  COMPILED,
  FORK,
  INTERNALS,
  LOCKS,
  PIPELINES,
  type Lock,
  type Owner,
  type PackedFunction,
  type Pipeline,
} from './own-names.ts'
import type { PublicEngine } from './surface.ts'
import { WebLlmInternals } from './webllm-internals.ts'
import { errorText } from '../../threads/error-text.ts'

export type InternalsFound = { internals: WebLlmInternals; missing: [] } | { internals: null; missing: string[] }

/** Call again after every load. Never throws: `missing` names unavailable internals. */
export function openInternals(engine: PublicEngine, modelId: string): InternalsFound {
  const missing = missingNames('engine', engine)
  if (missing.length > 0) return { internals: null, missing }
  const pipeline = (Reflect.get(engine, PIPELINES) as Map<string, Pipeline>).get(modelId)
  const lock = (Reflect.get(engine, LOCKS) as Map<string, Lock>).get(modelId)
  if (!pipeline) missing.push(`engine.${PIPELINES}.get("${modelId}")`)
  if (!lock) missing.push(`engine.${LOCKS}.get("${modelId}")`)
  if (!pipeline || !lock) return { internals: null, missing }
  missing.push(...missingNames('lock', lock))
  for (const owner of Object.keys(INTERNALS) as Owner[]) {
    const [first, ...path] = owner.split('.')
    if (first !== 'pipeline') continue
    const value = path.reduce<unknown>((from, name) => (isObject(from) ? Reflect.get(from, name) : undefined), pipeline)
    // Its own absence is reported as a name of its owner.
    if (isObject(value)) missing.push(...missingNames(owner, value))
  }
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
    missing.push(...missingNames('tensor', pipeline.params.get(0)))
    if (missing.length > 0) return { internals: null, missing }
    return { internals: new WebLlmInternals(pipeline, lock, found), missing: [] }
  } catch (error) {
    return { internals: null, missing: [`${errorText(error)} (while looking)`] }
  } finally {
    tvm.endScope()
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
