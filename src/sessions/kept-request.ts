/** What a store keeps of a request to start a run, and the request that resumes it. Keys of servers are never kept. */
import { ROLES, type Role } from '../method/ports.ts'
import { keptSource, keyFor, serversOf, type RoleSource, type ServerKeys } from '../roles/source.ts'
import { newSummary, type ResumableRun, type RunSummary } from '../runs/run-store.ts'
import type { StartRequest } from './messages.ts'

export function startedSummary(request: StartRequest): RunSummary {
  const keyedServers = serversOf(Object.values(request.models ?? {})).filter(
    (address) => keyFor(request.keys ?? {}, address) !== null,
  )
  return newSummary({ ...request, ...(keyedServers.length > 0 && { keyedServers }) })
}

export function resumingRequest({ summary, history, checkpoint }: ResumableRun, keys: ServerKeys): StartRequest {
  const started = history.find((event) => event.type === 'run-started')
  return {
    runId: summary.runId,
    preset: summary.preset,
    settings: started?.settings ?? summary.settings,
    iterations: Math.max(1, summary.iterations - checkpoint.iteration),
    ...(started?.backend === 'cpu' || started?.backend === 'webgpu' ? { backend: started.backend } : {}),
    ...(summary.models && { models: keptSources(summary.models) }),
    // The version that the run began with; the page may have a newer one.
    ...(started?.worldFile && { worldFile: started.worldFile }),
    keys,
  }
}

/** Address of a server whose key is missing; undefined if none is. */
export function serverWithoutKey({ keyedServers }: RunSummary, keys: ServerKeys = {}): string | undefined {
  return keyedServers?.find((address) => keyFor(keys, address) === null)
}

function keptSources(kept: NonNullable<RunSummary['models']>): Partial<Record<Role, RoleSource>> {
  return Object.fromEntries(
    ROLES.flatMap((role) => {
      const source = kept[role]
      return source === undefined ? [] : [[role, keptSource(source)]]
    }),
  )
}
