/** What a store keeps of a request to start a run, and the request that resumes it. Keys of servers are never kept. */
import { ROLES, type Role } from '../method/ports.ts'
import type { World } from '../method/settings.ts'
import { LEARNING_ROLES } from '../roles/learning.ts'
import { modelNames } from '../roles/shipped-models.ts'
import { keptSource, keyFor, serversOf, sourcesOf, type RoleSource, type ServerKeys } from '../roles/source.ts'
import { settingsWithin } from '../runs/branch.ts'
import { newSummary, type Branch, type ResumableRun, type RunSummary } from '../runs/run-store.ts'
import type { BranchRequest, StartRequest } from './messages.ts'

export function startedSummary(request: StartRequest): RunSummary {
  const keyedServers = serversWithKey(request.models, request.keys)
  return newSummary({ ...request, ...(keyedServers.length > 0 && { keyedServers }) })
}

export function resumingRequest({ summary, history, checkpoint }: ResumableRun, keys: ServerKeys): StartRequest {
  const started = history.find((event) => event.type === 'run-started')
  return {
    runId: summary.runId,
    preset: summary.preset,
    // With all changes: whether a model must learn depends on them.
    settings: settingsWithin({ ...summary, settings: started?.settings ?? summary.settings }, checkpoint),
    // A run may have ended its last iteration without its end in the log.
    iterations: Math.max(0, summary.iterations - checkpoint.iteration),
    ...(started?.backend === 'cpu' || started?.backend === 'webgpu' ? { backend: started.backend } : {}),
    ...(summary.models && { models: keptSources(summary.models) }),
    // The version that the run began with; the page may have a newer one.
    ...(started?.worldFile && { worldFile: started.worldFile }),
    keys,
  }
}

/** A request to branch as a store takes it. `world` is that of the run. */
export function branchOf({ runId, iterations, patch, replaced = {}, keys }: BranchRequest, world: World): Branch {
  const names = modelNames(sourcesOf(replaced), world)
  return {
    ...{ runId, iterations, patch },
    replaced: LEARNING_ROLES.flatMap((role) => {
      const source = replaced[role]
      return source ? [{ role, source, model: names[role] }] : []
    }),
    keyedServers: serversWithKey(replaced, keys),
  }
}

export function serversWithKey(models: Partial<Record<Role, RoleSource>> = {}, keys: ServerKeys = {}): string[] {
  return serversOf(Object.values(models)).filter((address) => keyFor(keys, address) !== null)
}

/** Address of a server in use whose key is missing; undefined if none is. */
export function serverWithoutKey({ keyedServers, models = {} }: RunSummary, keys: ServerKeys = {}): string | undefined {
  const used = serversOf(Object.values(keptSources(models)))
  return keyedServers?.find((address) => used.includes(address) && keyFor(keys, address) === null)
}

function keptSources(kept: NonNullable<RunSummary['models']>): Partial<Record<Role, RoleSource>> {
  return Object.fromEntries(
    ROLES.flatMap((role) => {
      const source = kept[role]
      return source === undefined ? [] : [[role, keptSource(source)]]
    }),
  )
}
