/** `npm run gateway -- --unpatch`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from '../../cluster/gateway/cluster-file.ts'
import { revertPatch } from '../../cluster/gateway/patch.ts'
import { GatewayProblem } from '../../cluster/gateway/problem.ts'
import type { RunRecord } from '../../cluster/gateway/run-record.ts'
import { lockState } from '../../cluster/gateway/state-lock.ts'
import { isOver, RELEASED_SYSTEMS } from '../../cluster/protocol.ts'

/**
 * Restores the released lines. Throws GatewayProblem if a gateway uses the state folder, or if a run is not over: jobs outlive their
 * gateway, and each of their stages reads the checkout anew.
 */
export function restoreReleased({ checkout, state, systems }: Cluster): void {
  const unlock = lockState(state)
  try {
    const unfinished = recordsIn(state).filter((record) => !isOver(record.state))
    if (unfinished.length > 0) {
      const names = unfinished.map(({ runId }) => runId).join(', ')
      throw new GatewayProblem(409, {
        what: `Runs may still use the patched lines: ${names}.`,
        why: `Their records in ${join(state, 'runs')} say ${[...new Set(unfinished.map((record) => record.state))].join(', ')}.`,
        remedy:
          'Start the gateway, and stop them or wait until they are over. Then stop the gateway and repeat --unpatch.',
      })
    }
    for (const system of RELEASED_SYSTEMS) if (systems[system]) revertPatch(checkout, system)
  } finally {
    unlock()
  }
}

/** Those that can be read; a gateway skips the others too. */
function recordsIn(state: string): RunRecord[] {
  const folder = join(state, 'runs')
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((runId) => {
    try {
      return [JSON.parse(readFileSync(join(folder, runId, 'run.json'), 'utf8')) as RunRecord]
    } catch {
      return []
    }
  })
}
