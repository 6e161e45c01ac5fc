/**
 * Which distance of texts knows what tasks mean: of the policies that ship, embeddings after each of their layers, pooled over tokens
 * in three ways, seen raw, centred, without the directions in which the pool spreads most, and whitened (Su et al., 2021), beside the
 * distance of words. For each the area under the ROC curve over pairs: how often a pair that is nearer in meaning is nearer by the
 * distance, ties counting half; 0.5 is chance. Decision 9 is made by it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { SHIPPED_MODELS } from '../../roles/shipped-models.ts'
import { TaskEmbeddingService, type EmbeddedWorld } from '../../engines/embedding/task-embedding.ts'
import { selectBackend } from '../../language-model/backends/index.ts'
import {
  EmbeddingSpace,
  meanRow,
  placedDistance,
  topDirections,
} from '../../language-model/embedding/embedding-space.ts'
import { folderReader } from '../../language-model/files/folder-reader.ts'
import { loadTransformer } from '../../language-model/files/load-transformer.ts'
import { readModelFolder } from '../../language-model/files/model-folder.ts'
import { TextEmbedder } from '../../language-model/embedding/text-embedding.ts'
import { wordDistance } from '../../language-model/embedding/word-distance.ts'
import { foldRun, type RunView } from '../../runs/fold.ts'
import { parseRunLog } from '../../runs/run-log.ts'
import {
  codingContrasts,
  householdContrasts,
  originalsOf,
  recordedRewrites,
  type Contrast,
  type Pair,
} from './drift-pairs.ts'

const PUBLIC = join(import.meta.dirname, '../../../public')
const WORLDS = ['household', 'coding'] as const satisfies readonly EmbeddedWorld[]
const DIRECTIONS = [0, 1, 2, 3]
const WHITENED = [16, 24, 32]
/** SIF weights a / (a + p(token)) (Arora et al., 2017). */
const SIF = 1e-2

type Distance = (a: string, b: string) => number
type Rows = ReadonlyMap<string, Float32Array>

export async function driftReport(): Promise<void> {
  await selectBackend('cpu')
  for (const world of WORLDS) await reportWorld(world)
}

async function reportWorld(world: EmbeddedWorld): Promise<void> {
  const log = gunzipSync(readFileSync(join(PUBLIC, `runs/${world}.jsonl.gz`))).toString()
  const view = foldRun(parseRunLog(log))
  const contrasts = world === 'household' ? householdContrasts(view) : codingContrasts(view)
  print(`\n${world}: of how many pairs the first is nearer than the second`)
  contrasts.forEach(({ name, near, far }, i) => print(`  (${i + 1}) ${name}, ${near.length} and ${far.length} pairs`))
  const numbers = contrasts.map((_, i) => `(${i + 1})`.padStart(7)).join('')
  print(`\n${''.padEnd(44)}${numbers}  paraphrases  all`)
  printRow('words (Jaccard)', contrasts, wordDistance)
  const folder = join(PUBLIC, 'models', SHIPPED_MODELS[world].policy)
  await reportModel(folder, contrasts, [...new Set(originalsOf(view).map(({ instruction }) => instruction))])
  await reportRecorded(world, view, folder)
}

async function reportModel(folder: string, contrasts: readonly Contrast[], pool: readonly string[]): Promise<void> {
  const reader = folderReader(folder)
  const { config, tokenizer } = await readModelFolder(reader)
  const transformer = await loadTransformer(reader, config)
  const texts = [...new Set([...pool, ...contrasts.flatMap(({ near, far }) => [...near, ...far].flat())])]
  const encode = (text: string) => tokenizer.encode(text)
  const tokens = texts.map(encode)
  const counts = new Map<number, number>()
  for (const text of pool) for (const token of encode(text)) counts.set(token, (counts.get(token) ?? 0) + 1)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const weights = {
    mean: () => 1,
    'SIF mean': (token: number) => SIF / (SIF + (counts.get(token) ?? 0) / total),
    'last token': (_: number, place: number, length: number) => (place === length - 1 ? 1 : 0),
  }
  for (let layers = 0; layers <= config.layers; layers++) {
    const embedder = new TextEmbedder(transformer, encode, { layers })
    const states = await embedder.states(texts)
    for (const [pooling, weight] of Object.entries(weights)) {
      if (layers === 0 && pooling === 'last token') continue
      const rows: Rows = new Map(
        texts.map((text, i) => [
          text,
          pooled(
            states[i]!,
            embedder.dimensions,
            Array.from(tokens[i]!, (token, place) => weight(token, place, tokens[i]!.length)),
          ),
        ]),
      )
      const name = `after ${layers} layers, ${pooling}`
      for (const [space, distance] of spacesOf(rows, pool)) printRow(`${name}, ${space}`, contrasts, distance)
    }
  }
  transformer.dispose()
}

function pooled(states: Float32Array, d: number, weights: readonly number[]): Float32Array {
  const row = new Float32Array(d)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  for (const [i, value] of states.entries()) row[i % d]! += (weights[Math.floor(i / d)]! / total) * value
  return row
}

function* spacesOf(rows: Rows, pool: readonly string[]): Generator<[string, Distance]> {
  const drawn = pool.map((text) => rows.get(text)!)
  yield ['raw', distanceOf(rows, (row) => EmbeddingSpace.of([], 0).place(row))]
  for (const directions of DIRECTIONS) {
    const space = EmbeddingSpace.of(drawn, directions)
    const name = directions === 0 ? 'centred' : `without ${directions}`
    yield [name, distanceOf(rows, (row) => space.place(row))]
  }
  const mean = meanRow(drawn)
  const axes = topDirections(drawn, mean, Math.max(...WHITENED))
  const along = (row: Float32Array, axis: Float64Array) =>
    axis.reduce((sum, value, i) => sum + value * (row[i]! - mean[i]!), 0)
  const deviations = axes.map((axis) =>
    Math.sqrt(drawn.reduce((sum, row) => sum + along(row, axis) ** 2, 0) / drawn.length),
  )
  for (const count of WHITENED) {
    const whiten = (row: Float32Array) => {
      const z = Float64Array.from(axes.slice(0, count), (axis, k) => along(row, axis) / deviations[k]!)
      const length = Math.hypot(...z)
      return z.map((value) => value / length)
    }
    yield [`whitened to ${count}`, distanceOf(rows, whiten)]
  }
}

function distanceOf(rows: Rows, place: (row: Float32Array) => Float64Array): Distance {
  const placed = new Map([...rows].map(([text, row]) => [text, place(row)]))
  return (a, b) => placedDistance(placed.get(a)!, placed.get(b)!)
}

/** What the page would show of the recorded run, by its own service. */
async function reportRecorded(world: EmbeddedWorld, view: RunView, folder: string): Promise<void> {
  const service = new TaskEmbeddingService(() => folderReader(folder))
  const before = process.cpuUsage()
  const { random, sameKind } = await service.open(world, originalsOf(view))
  const accepted = recordedRewrites(view).filter(({ task }) => {
    const { status } = view.tasks.get(task.id)!
    return status === 'active' || status === 'replaced'
  })
  const distances = await service.distances(
    accepted.map(({ root, task }) => ({ root: root.instruction, text: task.instruction })),
  )
  const { user, system } = process.cpuUsage(before)
  const words = accepted.map(({ root, task }) => wordDistance(root.instruction, task.instruction))
  print(
    `\nRecorded ${world} run, on the page: ${accepted.length} accepted rewrites with another text are ${mean(distances).toFixed(3)} from their originals in meaning, ${mean(words).toFixed(3)} in words; two tasks as drawn ${random!.toFixed(3)}, of one kind ${sameKind!.toFixed(3)}. Model, pool and rewrites took ${((user + system) / 1000).toFixed(0)} ms of processor time.`,
  )
}

function printRow(name: string, contrasts: readonly Contrast[], distance: Distance): void {
  const areas = contrasts.map(({ near, far }) => areaUnderCurve(measured(near, distance), measured(far, distance)))
  const ofParaphrases = areas.filter((_, i) => contrasts[i]!.isParaphrase)
  const cells = areas.map((area) => area.toFixed(3).padStart(7)).join('')
  print(`${name.padEnd(44)}${cells}  ${mean(ofParaphrases).toFixed(3).padStart(11)}  ${mean(areas).toFixed(3)}`)
}

const measured = (pairs: readonly Pair[], distance: Distance) => pairs.map(([a, b]) => distance(a, b))

/** P(near < far) + P(near = far) / 2, by ranks (Mann and Whitney). */
export function areaUnderCurve(near: readonly number[], far: readonly number[]): number {
  let wins = 0
  for (const a of near) for (const b of far) wins += a < b ? 1 : a === b ? 0.5 : 0
  return wins / (near.length * far.length)
}

const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
