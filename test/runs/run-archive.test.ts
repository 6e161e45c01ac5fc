import { BlobReader, TextWriter, ZipReader, ZipWriter, BlobWriter, TextReader } from '@zip.js/zip.js'
import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import { METRICS } from '../../src/method/metrics.ts'
import { METRIC_ALIASES } from '../../src/runs/metric-aliases.ts'
import { metricRows, type MetricRow } from '../../src/runs/metric-rows.ts'
import { readRunArchive, RunArchiveError, writeRunArchive, type ArchiveSource } from '../../src/runs/run-archive.ts'
import { serialiseRunLog } from '../../src/runs/run-log.ts'
import { newSummary } from '../../src/runs/run-store.ts'
import { fakeRun, fakeSettings } from '../playground/fake-run.ts'

const events = [...fakeRun({ iterations: 4 })].filter(isLogged)
const timings: Record<string, number> = { 'timing_s/step': 2.5, 'timing_s/gen': 1, 'perf/tokens_per_s': 900 }
const rows: MetricRow[] = metricRows(events).map((row) =>
  row.iteration === 0 ? row : { ...row, values: { ...row.values, ...timings } },
)
const source: ArchiveSource = {
  summary: newSummary({ runId: 'a', preset: 'household', settings: fakeSettings, iterations: 9 }, 77),
  rows,
  async *readEvents() {
    for (let i = 0; i < events.length; i += 50) yield events.slice(i, i + 50)
  },
  checkpoint: {
    runId: 'a',
    iteration: 4,
    eventCount: events.length,
    policy: Uint8Array.of(1, 2),
    reward: Uint8Array.of(3),
  },
}

async function files(zip: Blob): Promise<Record<string, string>> {
  const entries = await new ZipReader(new BlobReader(zip)).getEntries()
  const texts = entries.map(async (entry) => [
    entry.filename,
    entry.directory ? '' : await entry.getData(new TextWriter()),
  ])
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>
}

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

async function zipOf(texts: Record<string, string>): Promise<Blob> {
  const zip = new ZipWriter(new BlobWriter())
  for (const [name, text] of Object.entries(texts)) await zip.add(name, new TextReader(text))
  return zip.close()
}

describe('a run as a zip', () => {
  it('restores every event, models and timings', async () => {
    const { config, events: read, checkpoint, timings: times } = await readRunArchive(await writeRunArchive(source))
    const back: LoggedEvent[] = []
    for await (const part of read()) back.push(...part)
    expect(serialiseRunLog(back)).toBe(serialiseRunLog(events))
    expect(config).toMatchObject({ runId: 'a', iterations: 9, createdAt: 77 })
    const { runId: _, ...expected } = source.checkpoint!
    expect(checkpoint).toEqual(expected)
    expect([...times]).toEqual([1, 2, 3, 4].map((iteration) => [iteration, timings]))
  })

  it('restores a branch that has just replaced a model, whose checkpoint is empty', async () => {
    const branched = { ...source, checkpoint: { ...source.checkpoint!, reward: new Uint8Array() } }
    const { checkpoint } = await readRunArchive(await writeRunArchive(branched))
    expect(checkpoint).toMatchObject({ iteration: 4, policy: Uint8Array.of(1, 2), reward: new Uint8Array() })
  })

  it.each(['timing_s/update_actor', 'perf/throughput'])(
    'does not read %s, an alias of now or of before',
    async (name) => {
      const texts = await files(await writeRunArchive(source))
      const metrics = JSON.stringify({ step: 1, ...timings, [name]: 900 })
      const { timings: read } = await readRunArchive(await zipOf({ ...texts, 'metrics.jsonl': metrics }))
      expect([...read]).toEqual([[1, timings]])
    },
  )

  it('contains a row for each iteration under our names and those of verl, TRL and W&B', async () => {
    const metrics = lines((await files(await writeRunArchive(source)))['metrics.jsonl']!)
    expect(metrics.map((row) => row['step'])).toEqual([0, 1, 2, 3, 4])
    expect(metrics.map((row) => row['_runtime'])).toEqual([0, 2.5, 5, 7.5, 10])
    const last = metrics.at(-1)!
    const entropy = rows.at(-1)!.values['policy/entropy']
    expect(entropy).toBeTypeOf('number')
    for (const name of ['policy/entropy', 'actor/entropy', 'entropy', 'train/entropy']) expect(last[name]).toBe(entropy)
    expect(Object.values(last).every((value) => Number.isFinite(value))).toBe(true)
  })

  it('contains a row for each episode with its votes and advantages, and for each task with its origin', async () => {
    const texts = await files(await writeRunArchive(source))
    const episodes = lines(texts['episodes.jsonl']!)
    const played = events.filter((event) => event.type === 'episode')
    expect(episodes.map((row) => row['episode_id'])).toEqual(played.map((event) => event.episodeId))
    const judged = events.find((event) => event.type === 'judged')!
    const assigned = events.find((event) => event.type === 'advantages' && event.episodeId === judged.episodeId)
    const row = episodes.find((each) => each['episode_id'] === judged.episodeId)!
    const steps = row['steps'] as { votes: unknown; feedback: number }[]
    expect(steps.map(({ votes }) => votes)).toEqual(judged.votes)
    expect(steps.map(({ feedback }) => feedback)).toEqual(assigned?.type === 'advantages' && assigned.feedback)
    const tasks = lines(texts['tasks.jsonl']!)
    const proposed = events.filter((event) => event.type === 'rewrite-proposed' && event.candidate !== null)
    expect(tasks.filter((task) => 'rewritten_from' in task).length).toBe(proposed.length)
    expect(tasks.length).toBe(proposed.length + events.filter(({ type }) => type === 'task-added').length)
  })

  it('has no rows of an iteration that did not finish, and those of the attempt that did', async () => {
    const rowsOf = async (log: LoggedEvent[]) => {
      const readEvents = async function* () {
        yield log
      }
      const texts = await files(await writeRunArchive({ ...source, readEvents }))
      const names = (file: string, name: string) => lines(texts[file]!).map((row) => row[name])
      return { episodes: names('episodes.jsonl', 'episode_id'), tasks: names('tasks.jsonl', 'task_id') }
    }
    const proposed = events.findLast((event) => event.type === 'rewrite-proposed' && event.candidate !== null)!
    const before = events.filter(({ iteration }) => iteration < proposed.iteration)
    const cut = events.slice(0, events.indexOf(proposed) + 1)
    expect(await rowsOf(cut)).toEqual(await rowsOf(before))
    const again = [...cut, ...events.slice(before.length)]
    expect(await rowsOf(again)).toEqual(await rowsOf(events))
    const heldOut = { ...events.find((event) => event.type === 'episode')!, split: 'id', iteration: 0 } as const
    expect((await rowsOf([events[0]!, heldOut, ...cut.slice(1)])).episodes[0]).toBe(heldOut.episodeId)
  })

  it.each([
    ['is not a zip', async () => new Blob(['hello']), 'not a zip archive'],
    ['has no log', () => zipOf({ 'config.json': '{}' }), 'no run.jsonl'],
    ['has no configuration', () => zipOf({ 'run.jsonl': '' }), 'no readable config.json'],
    [
      'has a later version',
      () => zipOf({ 'run.jsonl': '', 'config.json': '{"format":"rlanything-run-archive","version":2}' }),
      'version 2',
    ],
    ['is incomplete', async () => (await writeRunArchive(source)).slice(0, 900), 'incomplete'],
  ])('is refused if it %s', async (_, zip, why) => {
    const error: unknown = await readRunArchive(await zip()).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(RunArchiveError)
    expect((error as Error).message).toContain(why)
  })

  it.each(['config.json', 'run.jsonl', 'policy.safetensors'])('is refused if its %s is damaged', async (name) => {
    const bytes = new Uint8Array(await (await writeRunArchive(source)).arrayBuffer())
    const header = Buffer.from(bytes.buffer).indexOf(name)
    const extra = bytes[header - 2]! + 256 * bytes[header - 1]!
    const at = header + name.length + extra
    bytes[at] = bytes[at]! ^ 0x10
    const reading = readRunArchive(new Blob([bytes])).then(async ({ events: read }) => {
      for await (const part of read()) void part
    })
    const error: unknown = await reading.catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(RunArchiveError)
    expect((error as Error).message).toBe(`${name} cannot be unpacked. Export the run again.`)
  })

  it('reports a log that ends in the middle of a line', async () => {
    const texts = await files(await writeRunArchive(source))
    const cut = await readRunArchive(await zipOf({ ...texts, 'run.jsonl': texts['run.jsonl']!.slice(0, -9) }))
    await expect(async () => {
      for await (const part of cut.events()) void part
    }).rejects.toThrow('middle of a line')
  })
})

describe('the aliases of metrics', () => {
  it('belong to existing metrics and are unique', () => {
    const ours = Object.keys(METRIC_ALIASES).filter((name) => !/^(timing_s|perf)\//.test(name))
    for (const name of ours) expect(METRICS).toHaveProperty([name])
    for (const system of ['verl', 'trl'] as const) {
      const names = Object.values(METRIC_ALIASES).flatMap((aliases) => aliases[system] ?? [])
      expect(new Set(names).size).toBe(names.length)
    }
  })
})
