/** The gateway with a real Ray (scripts/test-cluster.mjs): runs of a small tree in the released layout, through the Jobs API. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { RayJobs } from '../../../src/cluster/gateway/ray-jobs.ts'
import type { GatewayHealth, GatewayRun } from '../../../src/cluster/protocol.ts'
import { RunView } from '../../../src/runs/fold.ts'
import { finished, hear, nothingHeard, startFixture, startRun, type Fixture } from '../gateway-fixture.ts'

const address = process.env['RAY_TEST_ADDRESS'] ?? ''
const token = process.env['RAY_TEST_TOKEN'] ?? ''
if (address === '') throw new Error('There is no Ray to test against: run `npm run test:cluster`.')

let fixture: Fixture | null = null
afterEach(async () => {
  await fixture?.remove()
  fixture = null
})

async function open(tree: { stepSeconds: number; failAt?: number }): Promise<Fixture> {
  fixture = await startFixture({ ...tree, backend: new RayJobs({ address, token }) })
  return fixture
}

describe('a gateway with a real Ray', () => {
  it('runs a job, reports its curves once, applies a new λ from the next step on, and stops it', async () => {
    const { ask, cluster } = await open({ stepSeconds: 3 })
    const health = (await (await ask('GET', '/v1/health')).json()) as GatewayHealth
    expect(health).toMatchObject({ backend: 'ray', rayVersion: expect.stringMatching(/^2\./) as string })
    const { run } = await startRun(fixture!, { totalSteps: 40, settings: { evaluateEvery: 2 } })
    const heard = await hear(fixture!, run.runId, nothingHeard(), (so) => finished(so).length === 2)
    const { effectiveFromStep } = (await (
      await ask('PATCH', `/v1/runs/${run.runId}/config`, { lambda: 3 })
    ).json()) as {
      effectiveFromStep: number
    }
    // The connection was cut after the second step and is reopened; then the gateway is restarted.
    await hear(fixture!, run.runId, heard, (so) => finished(so).length === 4)
    await fixture!.stop()
    await new Promise((resolve) => setTimeout(resolve, 5000))
    await fixture!.restart()
    await hear(fixture!, run.runId, heard, (so) => finished(so).length >= Math.max(7, effectiveFromStep + 1))
    expect((await ask('POST', `/v1/runs/${run.runId}/stop`, {})).status).toBe(200)
    await hear(fixture!, run.runId, heard)

    expect(heard.events.map(({ seq }) => seq)).toEqual(heard.events.map((_, index) => index))
    expect((await hear(fixture!, run.runId, nothingHeard())).events).toEqual(heard.events)
    const end = heard.other.at(-1)?.data as GatewayRun
    expect(end.state).toBe('STOPPED')
    expect(heard.events.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })

    const view = new RunView()
    for (const event of heard.events) view.apply(event)
    const accuracy = view.series('policy/acc')
    // Accuracy of the active tasks, or of all tasks if the step's dump was overwritten and only its line of results is left.
    const untold = end.notices
      .flatMap((notice) => /^Step (\d+) is reported without/.exec(notice)?.[1] ?? [])
      .map(Number)
    const wins = (step: number) => [0, 1, 2].reduce((sum, i) => sum + ((step + i) % 5), 0)
    expect(untold.length).toBeLessThan(5)
    expect(accuracy.values).toEqual(
      accuracy.iterations.map((step) => (untold.includes(step) && step > 1 ? (wins(step) + 2) / 16 : wins(step) / 12)),
    )
    expect(view.series('eval/id/acc').iterations.slice(0, 2)).toEqual([2, 4])
    expect(view.settingsChanges).toEqual([{ iteration: effectiveFromStep, patch: { lambda: 3 } }])
    const used = readFileSync(join(cluster.checkout, run.runId, 'temp_data', 'used.jsonl'), 'utf8')
    const values = used
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { step: number; lambda: number })
    expect(values.length).toBeGreaterThan(effectiveFromStep)
    for (const { step, lambda } of values) expect(lambda).toBe(step < effectiveFromStep ? 1 : 3)
    // The job's processes are gone, so its results no longer grow.
    const size = used.length
    await new Promise((resolve) => setTimeout(resolve, 6000))
    expect(readFileSync(join(cluster.checkout, run.runId, 'temp_data', 'used.jsonl'), 'utf8')).toHaveLength(size)
  })

  it('shows the error of a job that fails', async () => {
    await open({ stepSeconds: 1, failAt: 2 })
    const { run } = await startRun(fixture!, { totalSteps: 5 })
    const heard = await hear(fixture!, run.runId, nothingHeard())
    const end = heard.other.at(-1)?.data as GatewayRun
    expect(end).toMatchObject({ state: 'FAILED', exitCode: 1 })
    expect(end.message).toContain('RuntimeError: CUDA error: out of memory')
    expect(finished(heard)).toHaveLength(1)
  })

  it('starts a job once, however often it is requested', async () => {
    const { folder } = await open({ stepSeconds: 1 })
    const ray = new RayJobs({ address, token })
    const request = { id: `twice_${process.pid}`, script: '/bin/true', folder }
    expect(await ray.start(request)).toBe(request.id)
    expect(await ray.start(request)).toBe(request.id)
    await expect.poll(async () => (await ray.status(request.id)).state).toMatch(/SUCCEEDED|FAILED/)
  })

  it('reports a wrong Ray token', async () => {
    const refusal = new RayJobs({ address, token: 'another' }).version()
    await expect(refusal).rejects.toThrow(/Ray rejects the gateway.*RAY_AUTH_TOKEN/s)
  })
})
