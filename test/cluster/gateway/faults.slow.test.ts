/** Faults between gateway, job and the files of a run: each gives a clear message, and the run continues. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { JobBackend, JobStatus } from '../../../src/cluster/gateway/jobs.ts'
import type { GatewayRun, StartAnswer } from '../../../src/cluster/protocol.ts'
import { clusterFile, hear, nothingHeard, startFixture, type Fixture } from '../gateway-fixture.ts'

let fixture: Fixture | null = null
afterEach(async () => {
  await fixture?.remove()
  fixture = null
})

/** A job that the test simulates by writing its files. */
class PlayedJob implements JobBackend {
  readonly kind = 'subprocess'
  state: JobStatus = { state: 'RUNNING', message: '', exitCode: null }
  isSilent = false
  async version(): Promise<null> {
    return null
  }
  /** Resolves when the job may start. */
  mayStart: Promise<void> = Promise.resolve()
  /** How many attempts to stop it fail. */
  deafTo = 0
  async start(): Promise<string> {
    await this.mayStart
    return 'played'
  }
  async status(): Promise<JobStatus> {
    if (this.isSilent) throw new Error('Nobody answers.')
    return this.state
  }
  async stop(): Promise<void> {
    if (this.deafTo-- > 0) throw new Error('Nobody answers.')
    this.state = { state: 'STOPPED', message: '', exitCode: null }
  }
}

interface Played {
  job: PlayedJob
  run: GatewayRun
  results: string
  dump: (wins: number) => string
  dumpFile: string
  line: (step: number, acc: number) => string
  summary: () => Promise<GatewayRun>
}

async function play(cluster: Record<string, unknown> = {}): Promise<Played> {
  const job = new PlayedJob()
  fixture = await startFixture({ backend: job, cluster })
  const response = await fixture.ask('POST', '/v1/runs', { system: 'alfworld', totalSteps: 9 })
  const { run } = (await response.json()) as StartAnswer
  const folder = join(fixture.cluster.checkout, run.runId)
  for (const name of ['results', 'temp_data']) mkdirSync(join(folder, name), { recursive: true })
  const tag = `${join(fixture.folder, 'models/Tiny-Policy').replaceAll('/', '.')}-alfworld`
  return {
    job,
    run,
    results: join(folder, 'results', `results-rl-${tag}.txt`),
    dumpFile: join(folder, 'temp_data', `outputs-rl-${tag}.json`),
    dump: (wins) =>
      JSON.stringify([
        {
          source: 'active',
          game_id: 'train/a/b/game.tw-pddl',
          if_success: [1, 1, 1, 1].map((one, index) => (index < wins ? one : -1)),
        },
      ]),
    line: (step, acc) =>
      `step: ${step}   acc: ${acc}   avg step: 3   avg response length: 4   max_prompt_length: 5   moved: 0   deleted: 0   missing: 0   skipped: 0\n`,
    summary: async () => (await (await fixture!.ask('GET', `/v1/runs/${run.runId}`)).json()) as GatewayRun,
  }
}

describe('a run with incomplete or damaged files', () => {
  it('waits for the rest of a line and of a dump', async () => {
    const { job, run, results, dump, dumpFile, line } = await play()
    const text = line(1, 0.25)
    writeFileSync(dumpFile, dump(1).slice(0, 30))
    writeFileSync(results, text.slice(0, 25))
    await new Promise((resolve) => setTimeout(resolve, 150))
    appendFileSync(results, text.slice(25))
    await new Promise((resolve) => setTimeout(resolve, 150))
    writeFileSync(dumpFile, dump(1))
    const heard = await hear(fixture!, run.runId, nothingHeard(), ({ events }) =>
      events.some(({ type }) => type === 'episode'),
    )
    job.state = { state: 'SUCCEEDED', message: '', exitCode: 0 }
    await hear(fixture!, run.runId, heard)
    expect(heard.events.filter(({ type }) => type === 'episode')).toHaveLength(4)
    expect((heard.other.at(-1)!.data as GatewayRun).notices).toEqual([])
  })

  it('reports a step without rollouts, with a notice, if its dump is torn, missing, or another step’s', async () => {
    const { job, run, results, dump, dumpFile, line } = await play()
    writeFileSync(dumpFile, dump(3))
    writeFileSync(results, line(1, 0.25))
    const heard = await hear(fixture!, run.runId, nothingHeard(), ({ events }) =>
      events.some(({ iteration }) => iteration === 1),
    )
    appendFileSync(results, line(2, 0.75))
    await hear(fixture!, run.runId, heard, ({ events }) => events.some(({ iteration }) => iteration === 2))
    job.state = { state: 'SUCCEEDED', message: '', exitCode: 0 }
    await hear(fixture!, run.runId, heard)
    const accuracies = heard.events.flatMap((event) =>
      event.type === 'iteration-finished' ? [event.metrics['policy/acc']] : [],
    )
    expect(accuracies).toEqual([0.25, 0.75])
    const { notices } = heard.other.at(-1)!.data as GatewayRun
    expect(notices).toHaveLength(2)
    expect(notices[0]).toMatch(/Step 1 is reported without its rollouts.*0.7500.*0.2500/)
    expect(notices[1]).toMatch(/Step 2 .*does not exist/)
  })

  it('skips lines that it does not understand, and steps already reported when a file is cleared', async () => {
    const { job, run, results, dump, dumpFile, line, summary } = await play()
    writeFileSync(dumpFile, dump(1))
    writeFileSync(results, `step: 1   acc: NaN   nonsense of ${fixture!.cluster.checkout}\n${line(1, 0.25)}`)
    const heard = await hear(fixture!, run.runId, nothingHeard(), ({ events }) =>
      events.some(({ type }) => type === 'episode'),
    )
    writeFileSync(results, line(1, 0.25))
    await expect.poll(async () => (await summary()).notices.length).toBeGreaterThanOrEqual(3)
    job.state = { state: 'SUCCEEDED', message: '', exitCode: 0 }
    await hear(fixture!, run.runId, heard)
    expect(heard.events.filter(({ type }) => type === 'iteration-started')).toHaveLength(1)
    const { notices } = await summary()
    expect(notices[0]).toMatch(/not understood.*nonsense of <on the cluster>/)
    expect(notices.join()).toMatch(/was cleared/)
  })

  it('continues with a notice while the state of the job is unknown', async () => {
    const { job, run, results, dump, dumpFile, line, summary } = await play()
    job.isSilent = true
    await expect
      .poll(async () => (await summary()).notices)
      .toEqual(['The state of the job is unknown: Nobody answers.'])
    writeFileSync(dumpFile, dump(1))
    writeFileSync(results, line(1, 0.25))
    const heard = await hear(fixture!, run.runId, nothingHeard(), ({ events }) =>
      events.some(({ type }) => type === 'episode'),
    )
    job.isSilent = false
    job.state = { state: 'FAILED', message: 'lost a node', exitCode: 9 }
    await hear(fixture!, run.runId, heard)
    expect(heard.other.at(-1)).toMatchObject({
      name: 'end',
      data: { state: 'FAILED', message: 'lost a node', exitCode: 9 },
    })
  })

  it('continues after a file that could not be read', async () => {
    const { job, run, results, dump, dumpFile, line, summary } = await play()
    // Reading a folder fails.
    mkdirSync(results)
    await expect
      .poll(async () => (await summary()).notices)
      .toEqual([expect.stringMatching(/^The gateway could not follow the run and tries again: EISDIR/)])
    rmdirSync(results)
    writeFileSync(dumpFile, dump(1))
    writeFileSync(results, line(1, 0.25))
    job.state = { state: 'SUCCEEDED', message: '', exitCode: 0 }
    const heard = await hear(fixture!, run.runId, nothingHeard())
    expect(heard.events.filter(({ type }) => type === 'episode')).toHaveLength(4)
    expect(heard.other.at(-1)).toMatchObject({ name: 'end', data: { state: 'SUCCEEDED' } })
  })

  it('continues while its record cannot be saved, and saves it as soon as it can', async () => {
    const { job, run, results, dump, dumpFile, line, summary } = await play()
    const record = join(fixture!.cluster.state, 'runs', run.runId, 'run.json')
    rmSync(record)
    mkdirSync(record)
    writeFileSync(dumpFile, dump(1))
    writeFileSync(results, `nonsense\n${line(1, 0.25)}`)
    await expect.poll(async () => (await summary()).step).toBe(1)
    expect((await summary()).notices).toEqual([
      expect.stringMatching(/not understood/),
      expect.stringMatching(/^The gateway could not save the run and tries again: /),
    ])
    job.state = { state: 'SUCCEEDED', message: '', exitCode: 0 }
    const heard = await hear(fixture!, run.runId, nothingHeard())
    expect(heard.other.at(-1)).toMatchObject({ name: 'end', data: { state: 'SUCCEEDED' } })
    rmdirSync(record)
    await expect.poll(() => existsSync(record)).toBe(true)
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ state: 'SUCCEEDED', handle: 'played' })
  })

  it('refuses a Last-Event-ID that the run has not reached', async () => {
    const { run } = await play()
    for (const id of ['99', '-1', 'x', '1e3']) {
      const response = await fixture!.ask('GET', `/v1/runs/${run.runId}/events`, undefined, { 'last-event-id': id })
      expect(response.status).toBe(400)
    }
  })
})

describe('stopping a run', () => {
  it('while its job is starting takes effect once it has started', async () => {
    const job = new PlayedJob()
    let start: () => void = () => {}
    job.mayStart = new Promise((resolve) => (start = resolve))
    fixture = await startFixture({ backend: job })
    const answered = fixture.ask('POST', '/v1/runs', { system: 'alfworld' })
    await expect.poll(() => fixture!.gateway.list()).toHaveLength(1)
    const [{ runId }] = fixture.gateway.list() as [GatewayRun]
    expect((await fixture.ask('POST', `/v1/runs/${runId}/stop`, {})).status).toBe(200)
    expect(job.state.state).toBe('RUNNING')
    start()
    expect((await answered).status).toBe(201)
    const heard = await hear(fixture, runId, nothingHeard())
    expect(heard.other.at(-1)).toMatchObject({ name: 'end', data: { state: 'STOPPED' } })
  })

  it('that fails while the job is starting is repeated until it succeeds', async () => {
    const job = new PlayedJob()
    let start: () => void = () => {}
    job.mayStart = new Promise((resolve) => (start = resolve))
    job.deafTo = 3
    fixture = await startFixture({ backend: job })
    const answered = fixture.ask('POST', '/v1/runs', { system: 'alfworld' })
    await expect.poll(() => fixture!.gateway.list()).toHaveLength(1)
    const [{ runId }] = fixture.gateway.list() as [GatewayRun]
    await fixture.ask('POST', `/v1/runs/${runId}/stop`, {})
    start()
    expect((await answered).status).toBe(201)
    const heard = await hear(fixture, runId, nothingHeard())
    expect(heard.other.at(-1)).toMatchObject({
      name: 'end',
      data: { state: 'STOPPED', notices: ['The gateway could not stop the job and tries again: Nobody answers.'] },
    })
    expect(job.state.state).toBe('STOPPED')
  })

  it('takes effect after a restart if the gateway was killed before it could stop the job', async () => {
    const { job, run } = await play()
    job.deafTo = Infinity
    expect((await fixture!.ask('POST', `/v1/runs/${run.runId}/stop`, {})).status).toBe(500)
    expect(job.state.state).toBe('RUNNING')
    await fixture!.stop()
    job.deafTo = 0
    await fixture!.restart()
    const heard = await hear(fixture!, run.runId, nothingHeard())
    expect(heard.other.at(-1)).toMatchObject({ name: 'end', data: { state: 'STOPPED' } })
  })

  it('is answered at once; the run is over after one cleanup, with a notice if that fails', async () => {
    const config = (clusterFile('/tree')['systems'] as { alfworld: Record<string, unknown> }).alfworld
    const { run, summary } = await play({
      systems: {
        alfworld: { ...config, cleanup: ['bash', '-c', 'sleep 1; echo $RLANYTHING_PROJECT >> cleaned; exit 3'] },
      },
    })
    const cleaned = join(fixture!.cluster.checkout, 'cleaned')
    for (let i = 0; i < 2; i++) expect((await fixture!.ask('POST', `/v1/runs/${run.runId}/stop`, {})).status).toBe(200)
    expect(existsSync(cleaned)).toBe(false)
    expect((await summary()).state).toBe('RUNNING')
    const heard = await hear(fixture!, run.runId, nothingHeard())
    expect(readFileSync(cleaned, 'utf8')).toBe(`${run.runId}\n`)
    expect(heard.other.at(-1)).toMatchObject({
      name: 'end',
      data: {
        state: 'STOPPED',
        // Without the command, its arguments and its output.
        notices: [
          "The cleanup command of the cluster file failed: exit code 3. The gateway's output on the cluster says more.",
        ],
      },
    })
  })
})

describe('the bundled gateway', () => {
  it('is one file that requires nothing else of the project', async () => {
    const { buildGateway } = (await import('../../../scripts/build-gateway.mjs')) as {
      buildGateway: (folder: string) => Promise<void>
    }
    const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
    try {
      await buildGateway(folder)
      const file = join(folder, 'rlanything-gateway.mjs')
      expect(existsSync(file)).toBe(true)
      const imports = [...readFileSync(file, 'utf8').matchAll(/^import .* from "([^"]+)";?$/gm)].map(
        (match) => match[1],
      )
      expect(imports.length).toBeGreaterThan(3)
      for (const name of imports) expect(name).toMatch(/^node:/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
