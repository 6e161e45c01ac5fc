import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { restoreReleased } from '../../../src/cli/gateway/unpatch.ts'
import { parseCluster, type Cluster } from '../../../src/cluster/gateway/cluster-file.ts'
import { applyPatch, patchState } from '../../../src/cluster/gateway/patch.ts'
import { clusterFile } from '../gateway-fixture.ts'
import { layDownTree } from '../released-tree.ts'

let folder: string
let cluster: Cluster
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unpatch-'))
  cluster = parseCluster(clusterFile(folder), 'cluster.yaml', {})
  mkdirSync(cluster.checkout, { recursive: true })
  layDownTree(cluster.checkout)
  applyPatch(cluster.checkout, 'alfworld')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function keepRecord(runId: string, state: string): void {
  mkdirSync(join(cluster.state, 'runs', runId), { recursive: true })
  writeFileSync(join(cluster.state, 'runs', runId, 'run.json'), JSON.stringify({ runId, state }))
}
const isPatched = () => patchState(cluster.checkout, 'alfworld').isPatched

it('--unpatch leaves the checkout to a run that goes on without its gateway, and names it', () => {
  keepRecord('done_a', 'SUCCEEDED')
  keepRecord('walk_b', 'RUNNING')
  expect(() => restoreReleased(cluster)).toThrow(/^Runs may still use the patched lines: walk_b\. .*say RUNNING\./)
  expect(isPatched()).toBe(true)
  expect(existsSync(join(cluster.state, 'gateway.lock'))).toBe(false)
})

it('--unpatch restores the released lines once all runs are over', () => {
  keepRecord('done_a', 'STOPPED')
  mkdirSync(join(cluster.state, 'runs', 'without_record'), { recursive: true })
  restoreReleased(cluster)
  expect(isPatched()).toBe(false)
})
