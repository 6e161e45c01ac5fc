import { describe, expect, it } from 'vitest'
import type { World } from '../../../src/method/settings.ts'
import type { PickedFile } from '../../../src/storage/dropped-files.ts'
import { isLogged } from '../../../src/method/events.ts'
import { sorted } from '../../../src/playground/shell/dropped-kind.ts'
import { isRunZip, isZip } from '../../../src/playground/shell/dropped-zip.ts'
import { metricRows } from '../../../src/runs/metric-rows.ts'
import { writeRunArchive } from '../../../src/runs/run-archive.ts'
import { newSummary } from '../../../src/runs/run-store.ts'
import { smallRelease, zipOf } from '../../worlds/household/library/release.ts'
import { fakeRun, fakeSettings } from '../fake-run.ts'

/** A zip as Export writes it, with models far larger than a list of files. */
async function runZip(): Promise<Blob> {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)
  const bytes = new Uint8Array(1_000_000)
  return writeRunArchive({
    summary: newSummary({ runId: 'a', preset: 'household', settings: fakeSettings, iterations: 3 }, 77),
    rows: metricRows(events),
    async *readEvents() {
      yield events
    },
    checkpoint: { runId: 'a', iteration: 3, eventCount: events.length, policy: bytes, reward: bytes },
  })
}

/** A blob that counts the bytes read from it. */
function counting(blob: Blob): { blob: Blob; read: () => number } {
  let read = 0
  const slice = (from = 0, to = blob.size, type?: string) => {
    read += Math.max(0, Math.min(to, blob.size) - from)
    return blob.slice(from, to, type)
  }
  const whole = () => {
    read += blob.size
    return blob.arrayBuffer()
  }
  const handler: ProxyHandler<Blob> = {
    get(target, name) {
      if (name === 'slice') return slice
      if (name === 'arrayBuffer') return whole
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  }
  return { blob: new Proxy(blob, handler), read: () => read }
}

describe('a dropped zip', () => {
  it('is a run if it was exported as one, but not if it contains games', async () => {
    expect(await isRunZip(await runZip())).toBe(true)
    expect(await isRunZip(await zipOf(smallRelease()))).toBe(false)
  })

  it('is a run in any folder, but not if its files are in different ones', async () => {
    const zip = (...paths: string[]) => zipOf(paths.map((path) => ({ path, text: '{}' })))
    expect(await isRunZip(await zip('mine/metrics.jsonl', 'mine/run.jsonl', 'mine/config.json'))).toBe(true)
    expect(await isRunZip(await zip('a/config.json', 'b/metrics.jsonl'))).toBe(false)
    expect(await isRunZip(await zip('config.json', 'tokenizer.json', 'model.safetensors'))).toBe(false)
    expect(await isRunZip(await zip())).toBe(false)
  })

  it('is recognised by its list of files alone', async () => {
    for (const zip of [await runZip(), await zipOf(smallRelease())]) {
      const { blob, read } = counting(zip)
      await isRunZip(blob)
      expect(read()).toBeGreaterThan(0)
      // The list is within the last 64 kB, the part that zip readers search.
      expect(read()).toBeLessThan(150_000)
    }
    expect((await runZip()).size).toBeGreaterThan(1_900_000)
  })

  it('is a run even if it is truncated, so that the import reports it', async () => {
    const run = await runZip()
    expect(await isRunZip(run.slice(0, run.size - 2000))).toBe(true)
    const games = await zipOf(smallRelease())
    expect(await isRunZip(games.slice(0, Math.floor(games.size / 2)))).toBe(false)
  })

  it('is not a zip by its name alone', async () => {
    for (const text of ['', 'PK', '{"config.json": "run.jsonl"}']) {
      expect(await isZip(new Blob([text]))).toBe(false)
      expect(await isRunZip(new Blob([text]))).toBe(false)
    }
  })
})

describe('a drop of several files', () => {
  const onClaimed = () => {}
  async function* picked(files: PickedFile[]): AsyncGenerator<PickedFile> {
    yield* files
  }
  const named = (name: string, blob: Blob): PickedFile => ({ path: name, file: new File([blob], name) })

  it('separates runs from the other files, which keep their order', async () => {
    const run = await runZip()
    const games = await zipOf(smallRelease())
    const inFolder: PickedFile = { path: 'json_2.1.3/run.zip', file: new File([run], 'run.zip') }
    const unreadable: PickedFile = { path: 'gone.zip', file: null, reason: 'It is gone.' }
    const runs: string[] = []
    const rest = await sorted(
      picked([named('a.zip', run), named('games.zip', games), unreadable, inFolder, named('b.zip', run)]),
      { onRuns: (files) => runs.push(...files.map(({ name }) => name)), onClaimed },
    )
    const paths: string[] = []
    for await (const { path } of rest!) paths.push(path)
    expect(paths).toEqual(['games.zip', 'gone.zip', 'json_2.1.3/run.zip'])
    expect(runs).toEqual(['a.zip', 'b.zip'])
  })

  it('gives the files of a world to that world, with the models beside it, whatever else is dropped', async () => {
    const claimed: [World, string[]][] = []
    const rest = await sorted(
      picked([
        named('mine.ts', new Blob(['export default {}'])),
        named('notes.txt', new Blob(['x'])),
        named('mine.models/own-policy/config.json', new Blob(['{}'])),
        named('src/game.ts', new Blob(['x'])),
      ]),
      { onRuns: () => {}, onClaimed: (world, files) => claimed.push([world, files.map(({ path }) => path)]) },
    )
    const paths: string[] = []
    for await (const { path } of rest!) paths.push(path)
    expect(paths).toEqual(['notes.txt', 'src/game.ts'])
    expect(claimed).toEqual([['own', ['mine.ts', 'mine.models/own-policy/config.json']]])
  })

  it('leaves no other files if all are runs', async () => {
    const runs: string[] = []
    const onRuns = (files: File[]) => runs.push(...files.map(({ name }) => name))
    expect(await sorted(picked([named('a.zip', await runZip())]), { onRuns, onClaimed })).toBeNull()
    expect(runs).toEqual(['a.zip'])
    expect(await sorted(null, { onRuns: () => {}, onClaimed })).toBeNull()
  })
})
