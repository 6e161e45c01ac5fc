import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { LaunchPlan, GatewayRun } from '../../../src/cluster/protocol.ts'
import type { IterationFinished, LoggedEvent } from '../../../src/method/events.ts'
import { RunView } from '../../../src/runs/fold.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import {
  finished,
  HAS_PYTHON,
  hear,
  nothingHeard,
  SECRET,
  startFixture,
  startRun,
  type Fixture,
} from '../gateway-fixture.ts'

let fixture: Fixture | null = null
afterEach(async () => {
  await fixture?.remove()
  fixture = null
})

function expectWhole(events: readonly LoggedEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
  expect(events[0]?.type).toBe('run-started')
  expect(events.at(-1)?.type).toBe('run-finished')
}

function used(runId: string): { step: number; lambda: number }[] {
  const text = readFileSync(join(fixture!.cluster.checkout, runId, 'temp_data', 'used.jsonl'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { step: number; lambda: number })
}

describe.skipIf(!HAS_PYTHON)('a run through the gateway', () => {
  it('is reported from its first to its last step, with rollouts, votes, rewrites and evaluations', async () => {
    fixture = await startFixture({ stepSeconds: 0.2 })
    const { run } = await startRun(fixture, {
      totalSteps: 5,
      settings: { groupSize: 4, evaluateEvery: 5 },
      name: 'whole',
    })
    const heard = await hear(fixture, run.runId, nothingHeard())
    expectWhole(heard.events)
    const view = new RunView()
    for (const event of heard.events) view.apply(event)
    expect(view.iterations.map(({ iteration, isFinished }) => [iteration, isFinished])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [n, true]),
    )
    // Wins of the three active tasks in step s are (s + i) mod 5 of 4 each.
    expect(view.series('policy/acc').values).toEqual([6, 9, 7, 5, 3].map((wins) => wins / 12))
    expect(view.series('eval/id/acc')).toEqual({ iterations: [5], values: [0.5] })
    expect(view.evaluations[0]).toMatchObject({ policyVersion: 5, episodes: 4 })
    expect(view.settings).toMatchObject({ groupSize: 4, lambda: 1, profile: 'reference' })
    expect(view.started?.models).toEqual({ policy: 'Tiny-Policy', reward: 'Tiny-Reward', author: 'Tiny-Author' })
    // By default, two groups of a step are reported in full.
    expect(view.iterations.map(({ episodes }) => episodes.length)).toEqual([8, 8, 8, 8, 8])
    const episode = [...view.episodes.values()][0]!
    expect(episode.episode).toMatchObject({ instruction: 'put a mug in desk.', policyVersion: 0 })
    expect(episode.episode.steps[0]).toMatchObject({
      command: 'go to desk 1',
      observation: 'You arrive.',
      trueLabel: null,
      distance: null,
    })
    expect(episode.votes?.[0]?.map(({ score }) => score)).toEqual([1, 1, -1])
    // O + λ mean S is 1 + 1/3 for a winner, and -1 - 1/3 for a loser.
    expect(episode.feedback?.[0]).toBeCloseTo(4 / 3)
    const rewrites = [...view.rewrites.values()]
    expect(rewrites.map(({ proposal }) => proposal.taskId)).toEqual(
      Array(5).fill('train/pick_and_place_simple-Mug-None-Desk-9/trial_1'),
    )
    expect(rewrites.slice(0, 4).map(({ resolution }) => [resolution?.accepted, resolution?.accuracyAfter])).toEqual(
      Array(4).fill([true, 0.5]),
    )
    expect(view.series('env/accept_rate').values.at(-1)).toBe(1)
    expect((heard.other.at(-1)!.data as GatewayRun).state).toBe('SUCCEEDED')
    expect(view.finished).toBe('completed')
  })

  it('applies a new λ from the next step on, through the patched lines of the release', async () => {
    fixture = await startFixture({ stepSeconds: 0.8 })
    const { run, live } = await startRun(fixture, { totalSteps: 500, settings: { lambda: 0.5 } })
    expect(live.lambda).toBe(0.5)
    const heard = await hear(fixture, run.runId, nothingHeard(), (so) => finished(so).length === 2)
    const answer = await fixture.ask('PATCH', `/v1/runs/${run.runId}/config`, { lambda: 2 })
    expect(answer.status).toBe(200)
    const { effectiveFromStep, live: after } = (await answer.json()) as { effectiveFromStep: number; live: unknown }
    expect(effectiveFromStep).toBeGreaterThanOrEqual(3)
    expect(after).toEqual({ lambda: 2, alphaLow: 0.2, alphaHigh: 0.8 })
    await hear(fixture, run.runId, heard, (so) => finished(so).length > effectiveFromStep)
    await fixture.ask('POST', `/v1/runs/${run.runId}/stop`, {})
    await hear(fixture, run.runId, heard)
    expectWhole(heard.events)
    const values = used(run.runId)
    expect(values.length).toBeGreaterThan(effectiveFromStep)
    expect(values).toEqual(values.map(({ step }) => ({ step, lambda: step < effectiveFromStep ? 0.5 : 2 })))
    const changes = heard.events.filter((event) => event.type === 'settings-changed')
    expect(changes).toMatchObject([{ iteration: effectiveFromStep, patch: { lambda: 2 } }])
    const [before] = heard.events.filter((event) => event.type === 'advantages')
    expect(before?.feedback[0]).toBeCloseTo(1 + 0.5 / 3)
    const metrics = heard.events.filter(
      (event): event is LoggedEvent & IterationFinished => event.type === 'iteration-finished',
    )
    expect(metrics.at(-1)?.metrics['policy/integrated_reward/max']).toBeCloseTo(1 + 2 / 3)
  })

  it('neither loses nor repeats an event when the connection is cut and the gateway is restarted', async () => {
    fixture = await startFixture({ stepSeconds: 0.5 })
    const { run } = await startRun(fixture, { totalSteps: 6 })
    const heard = await hear(fixture, run.runId, nothingHeard(), (so) => so.events.length >= 5)
    await hear(fixture, run.runId, heard, (so) => finished(so).length >= 1)
    const before = heard.events.length
    await fixture.stop()
    // Meanwhile the job continues without a gateway for some steps.
    await new Promise((resolve) => setTimeout(resolve, 1200))
    await fixture.restart()
    await hear(fixture, run.runId, heard)
    expect(heard.events.length).toBeGreaterThan(before)
    expectWhole(heard.events)
    const again = await hear(fixture, run.runId, nothingHeard())
    expect(again.events).toEqual(heard.events)
    expect(finished(heard).map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5, 6])
    // Overwritten dumps give a notice, and their steps keep their results.
    const policy = finished(heard).map((event) => 'metrics' in event && typeof event.metrics['policy/acc'])
    expect(policy).toEqual(Array(6).fill('number'))
  })

  it('stops together with the processes that the job started', async () => {
    fixture = await startFixture({ stepSeconds: 30 })
    const { run } = await startRun(fixture, { totalSteps: 5 })
    await expect
      .poll(async () => ((await (await fixture!.ask('GET', `/v1/runs/${run.runId}`)).json()) as GatewayRun).state)
      .toBe('RUNNING')
    expect((await fixture.ask('POST', `/v1/runs/${run.runId}/stop`, {})).status).toBe(200)
    const heard = await hear(fixture, run.runId, nothingHeard())
    expect(heard.other.at(-1)).toMatchObject({ name: 'end', data: { state: 'STOPPED' } })
    expect(heard.events.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
    expect((await fixture.ask('PATCH', `/v1/runs/${run.runId}/config`, { lambda: 2 })).status).toBe(409)
  })

  it('shows the error of a job that fails, without the paths of the cluster', async () => {
    fixture = await startFixture({ stepSeconds: 0.2, failAt: 2 })
    const { run } = await startRun(fixture, { totalSteps: 5 })
    const heard = await hear(fixture, run.runId, nothingHeard())
    const end = heard.other.at(-1)!.data as GatewayRun
    expect(end).toMatchObject({ state: 'FAILED', exitCode: 1 })
    expect(end.message).toContain('RuntimeError: CUDA error: out of memory in <on the cluster>')
    expect(finished(heard)).toHaveLength(1)
  })

  it('reveals nothing of the cluster in plans, events, logs, files or errors', async () => {
    fixture = await startFixture({ stepSeconds: 0.1 })
    const plan = await (await fixture.ask('POST', '/v1/runs', { system: 'alfworld', dryRun: true })).text()
    const { run } = await startRun(fixture, { totalSteps: 2 })
    const heard = await hear(fixture, run.runId, nothingHeard())
    const files = (await (await fixture.ask('GET', `/v1/runs/${run.runId}/files`)).json()) as { name: string }[]
    expect(files.map(({ name }) => name)).toEqual(['run.jsonl', 'metrics.jsonl', 'config.yaml', 'job.log'])
    const bodies = await Promise.all(
      files.map(async ({ name }) => (await fixture!.ask('GET', `/v1/runs/${run.runId}/files/${name}`)).text()),
    )
    const health = await (await fixture.ask('GET', '/v1/health')).text()
    const all = [plan, JSON.stringify(heard), health, ...bodies].join('\n')
    for (const secret of [fixture.folder, fixture.folder.replaceAll('/', '.').slice(1), SECRET, 'node-zero.internal'])
      expect(all).not.toContain(secret)
    expect(bodies[3]).toContain('paths of this cluster: <on the cluster>')
    // The playground can open the log.
    expect(parseRunLog(bodies[0]!)).toEqual(heard.events)
    expect(
      bodies[1]!
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { step: number }).step),
    ).toEqual([1, 2])
  })

  it('writes the configuration under the project’s name, with the values that only the cluster knows', async () => {
    fixture = await startFixture({ stepSeconds: 0.1 })
    const { run, yaml, command, differences } = await startRun(fixture, {
      totalSteps: 1,
      name: 'short',
      settings: { maxSteps: 7 },
    })
    expect(run.runId).toMatch(/^short_[a-z0-9]{6}$/)
    expect(command).toBe(`PYTHONUNBUFFERED=1 python alfworld_rl.py config=configs/${run.runId}.yaml`)
    const written = parse(readFileSync(join(fixture.cluster.checkout, 'configs', `${run.runId}.yaml`), 'utf8'), {
      version: '1.1',
    }) as Record<string, Record<string, unknown>>
    expect(written['experiment']).toMatchObject({ project: run.runId, total_step: 1, num_node: 1 })
    expect(written['model']?.['policy_model']).toBe(join(fixture.folder, 'models/Tiny-Policy'))
    expect(written['system']?.['rl_base_dir']).toBe(fixture.cluster.checkout)
    const shown = parse(yaml, { version: '1.1' }) as Record<string, Record<string, unknown>>
    expect(shown['model']?.['policy_model']).toBe('<on the cluster>')
    expect(shown['system']?.['HTTP_PROXY']).toBe('<on the cluster>')
    expect(shown['experiment']).toEqual(written['experiment'])
    expect(differences).toContainEqual({ key: 'rollout.policy.max_interaction_step', released: 40, now: 7 })
  })

  it('a dry run launches nothing and writes nothing', async () => {
    fixture = await startFixture()
    const response = await fixture.ask('POST', '/v1/runs', {
      system: 'alfworld',
      dryRun: true,
      settings: { lambda: 3 },
    })
    expect(response.status).toBe(200)
    const plan = (await response.json()) as LaunchPlan
    expect(plan.live).toEqual({ lambda: 3, alphaLow: 0.2, alphaHigh: 0.8 })
    expect(plan.environment).toEqual({
      MLP_WORKER_0_HOST: '<on the cluster>',
      MLP_WORKER_0_PORT: '<on the cluster>',
      PYTHONUNBUFFERED: '1',
    })
    expect(await (await fixture.ask('GET', '/v1/runs')).json()).toEqual([])
    expect(readFileSync(join(fixture.cluster.checkout, 'reward/alfworld_rl_reward.py'), 'utf8')).not.toContain(
      'rlanything_live',
    )
  })
})
