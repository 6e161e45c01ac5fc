import { describe, expect, it } from 'vitest'
import { WorkerLostError } from '../../../../src/threads/errors.ts'
import type { EmbeddedTask, EmbeddedWorld, TextPair } from '../../../../src/engines/embedding/task-embedding.ts'
import { isLogged } from '../../../../src/method/events.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import type { Bridge } from '../../../../src/threads/worker-bridge.ts'
import { driftSentence } from '../../../../src/playground/views/tasks/drift-charts.ts'
import { DriftHistory } from '../../../../src/playground/views/tasks/drift-history.ts'
import {
  meaningChart,
  meaningDrift,
  NO_MEANING,
  rewrittenTexts,
} from '../../../../src/playground/views/tasks/meaning-drift.ts'
import { TaskMeaning } from '../../../../src/playground/views/tasks/task-meaning.svelte.ts'
import type { EmbeddingWorker } from '../../../../workers/embedding.ts'
import { localBridge } from '../../../threads/local-bridge.ts'
import { fakeRun } from '../../fake-run.ts'

const whole = foldRun([...fakeRun({ iterations: 25 })].filter(isLogged))
const history = new DriftHistory().read(whole)
const references = { random: 1, sameKind: 0.8 }
/** Made up, and another one for every pair. */
const distanceOf = ({ root, text }: TextPair) => (root.length * 7 + text.length) / 1000

describe('the drift of the meaning', () => {
  it('is the mean over the rewritten tasks that are active, in every iteration', () => {
    const { points } = meaningDrift(history, references, distanceOf)
    expect(points.map(({ x }) => x)).toEqual(history.rows.map(({ iteration }) => iteration))
    let isAnyRewritten = false
    for (const { x, y } of points) {
      const { tasks } = whole.at(x)
      const distances = [...tasks.values()].flatMap(({ task, origin, status }) =>
        status === 'active' && origin !== null
          ? [distanceOf({ root: tasks.get(task.rootId)!.task.instruction, text: task.instruction })]
          : [],
      )
      isAnyRewritten ||= distances.length > 0
      expect(y, `iteration ${x}`).toBeCloseTo(
        distances.reduce((sum, distance) => sum + distance, 0) / Math.max(1, distances.length),
        9,
      )
    }
    expect(isAnyRewritten).toBe(true)
  })

  it('is drawn as far as it is known, between the lines of the pool as drawn', () => {
    const late = history.rows.find(({ iteration, entered }) => iteration > 5 && entered.length > 0)!
    const drift = meaningDrift(history, references, (pair) =>
      late.entered.some(({ text }) => text === pair.text) ? undefined : distanceOf(pair),
    )
    expect(drift.points.at(-1)!.x).toBeLessThan(late.iteration)
    const { series } = meaningChart(drift, 'household')
    expect(series.map(({ name }) => name)).toEqual(['rewritten from original', 'any two tasks', 'two of one kind'])
    expect(new Set(series[1]!.points.map(({ y }) => y))).toEqual(new Set([1]))
    expect(meaningChart(NO_MEANING, 'coding').series.map(({ points }) => points)).toEqual([[]])
  })

  it('comes first in the sentence once the last iteration is known, and not before', () => {
    const drift = meaningDrift(history, references, () => 0.25)
    expect(driftSentence(history, 'household', drift)).toMatch(
      /^After iteration 25, \d+\.\d % of the pool is rewritten; in meaning a rewritten task is 0\.25 away from its original \(two of one kind are 0\.80 apart, any two 1\.00\), and \d+ % away from its words; /,
    )
    const early = { ...drift, points: drift.points.slice(0, -1) }
    expect(driftSentence(history, 'household', early)).toBe(driftSentence(history, 'household'))
  })
})

describe('a worker that says how far tasks are apart', () => {
  class Stand {
    started = 0
    ended = 0
    opened: EmbeddedWorld[] = []
    asked: TextPair[] = []
    failure: Error | null = null
    readonly open = (): Bridge<EmbeddingWorker> => {
      this.started++
      const service = {
        open: async (world: EmbeddedWorld, pool: readonly EmbeddedTask[]) => {
          if (this.failure) throw this.failure
          this.opened.push(world)
          expect(pool[0]).toEqual({ instruction: history.drawn[0]!.instruction, kind: history.drawn[0]!.kind })
          return references
        },
        distances: async (pairs: readonly TextPair[]) => {
          if (this.failure) throw this.failure
          this.asked.push(...pairs)
          return Float32Array.from(pairs, distanceOf)
        },
      }
      return localBridge(service, () => this.ended++)
    }
  }
  const pairs = rewrittenTexts(history)
  const different = new Set(pairs.map((pair) => JSON.stringify(pair))).size
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

  it('starts with the first pool, and is asked for each pair once', async () => {
    const stand = new Stand()
    const meaning = new TaskMeaning(stand.open)
    meaning.want(pairs)
    await settled()
    expect(stand.started).toBe(0)
    meaning.follow('household', history.drawn)
    meaning.want(pairs)
    meaning.want(pairs)
    await settled()
    expect(meaning.references).toEqual(references)
    expect(meaning.distance(pairs[0]!)).toBeCloseTo(distanceOf(pairs[0]!), 6)
    meaning.follow('household', history.drawn)
    meaning.want(pairs)
    await settled()
    expect([stand.started, stand.opened, stand.asked.length]).toEqual([1, ['household'], different])
    meaning.close()
    expect(stand.ended).toBe(1)
  })

  it('forgets what it said of another pool', async () => {
    const stand = new Stand()
    const meaning = new TaskMeaning(stand.open)
    meaning.follow('household', history.drawn)
    meaning.want(pairs)
    await settled()
    meaning.follow('coding', [...history.drawn])
    expect(meaning.references).toBeNull()
    expect(meaning.distance(pairs[0]!)).toBeUndefined()
    await settled()
    expect(stand.opened).toEqual(['household', 'coding'])
    expect(stand.started).toBe(1)
  })

  it('says why there is nothing, and begins anew when it is told to, or with another pool', async () => {
    const stand = new Stand()
    const meaning = new TaskMeaning(stand.open)
    stand.failure = new WorkerLostError('embedding', 'out of memory')
    meaning.follow('household', history.drawn)
    meaning.want(pairs)
    await settled()
    expect(meaning.failure).toMatch(/embedding worker stopped \(out of memory\)/)
    expect([stand.started, stand.ended]).toEqual([1, 1])
    meaning.want(pairs)
    await settled()
    expect(stand.started).toBe(1)
    stand.failure = null
    meaning.retry()
    await settled()
    expect(meaning.failure).toBeNull()
    expect(meaning.distance(pairs.at(-1)!)).toBeCloseTo(distanceOf(pairs.at(-1)!), 6)
    stand.failure = new Error('model.safetensors cannot be read.')
    meaning.follow('household', [...history.drawn])
    await settled()
    expect(meaning.failure).toBe('model.safetensors cannot be read.')
    stand.failure = null
    meaning.follow('household', [...history.drawn])
    await settled()
    expect([meaning.failure, meaning.references]).toEqual([null, references])
  })
})
