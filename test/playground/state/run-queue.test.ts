import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { ABLATION_IDS, ABLATIONS, ablationOf, type AblationId } from '../../../src/playground/run/ablations.ts'
import { heldSentence, itemName, progressOf } from '../../../src/playground/state/queue-words.ts'
import {
  newPlan,
  nextItem,
  parsePlan,
  planItems,
  requestOf,
  seedsFrom,
  type RunPlan,
} from '../../../src/playground/run/run-plan.ts'
import { PlanStore, type PlanLocks, type PlanStorage } from '../../../src/playground/state/plan-store.ts'
import { fateOf, RunQueue, type RunFate } from '../../../src/playground/state/run-queue.svelte.ts'
import type { StartRequest } from '../../../src/sessions/loop-service.ts'
import { newSummary } from '../../../src/runs/run-store.ts'

const content = { preset: 'household', settings: presetSettings('household'), backend: 'auto', iterations: 7 } as const

function plan(rows: readonly AblationId[], seeds: number, id = 'plan', createdAt = 1): RunPlan {
  return newPlan(content, rows, seedsFrom(3, seeds), { id, createdAt })
}

class MemoryStorage implements PlanStorage {
  readonly kept = new Map<string, string>()
  get length(): number {
    return this.kept.size
  }
  key = (index: number) => [...this.kept.keys()][index] ?? null
  getItem = (key: string) => this.kept.get(key) ?? null
  setItem = (key: string, value: string) => void this.kept.set(key, value)
  removeItem = (key: string) => void this.kept.delete(key)
}

/** Locks that the tabs of a browser share. */
function sharedLocks(): PlanLocks {
  const held = new Set<string>()
  const request = (async (name: string, ...rest: [LockOptions, LockGrantedCallback<void>] | [() => Promise<void>]) => {
    const hold = rest.at(-1) as LockGrantedCallback<void>
    if (held.has(name)) return hold(null)
    held.add(name)
    await Promise.resolve(hold({ name, mode: 'exclusive' }))
    held.delete(name)
  }) as LockManager['request']
  return { request, query: async () => ({ held: [...held].map((name) => ({ name })), pending: [] }) }
}

interface Tab {
  queue: RunQueue
  started: StartRequest[]
  resumed: string[]
  done: string[]
}

function openTab(storage: MemoryStorage, locks: PlanLocks = sharedLocks(), fate: Record<string, RunFate> = {}): Tab {
  const tab = { started: [] as StartRequest[], resumed: [] as string[], done: [] as string[] }
  const queue: RunQueue = new RunQueue({
    plans: new PlanStore(storage, locks),
    newRunId: () => `${ids++}`,
    start: async (request) => {
      tab.started.push(request)
      await queue.began(request.runId)
    },
    resume: async (runId) => {
      tab.resumed.push(runId)
      await queue.began(runId)
    },
    fateOf: async (runId) => fate[runId] ?? 'gone',
    onDone: (runId) => tab.done.push(runId),
  })
  return { queue, ...tab }
}
let ids = 0

/** Ends the current run of the queue, as the feed would report it, and lets the next start. */
async function end(tab: Tab, how: 'completed' | 'stopped' | 'failed' = 'completed'): Promise<void> {
  const before = tab.started.length
  const { runId } = tab.queue.current!
  tab.queue.ended(runId!, how)
  if (how === 'completed' && tab.queue.isActive) await vi.waitFor(() => expect(tab.started.length).toBe(before + 1))
}

const said = ({ settings }: StartRequest) => `${ablationOf(settings)} ${settings.seed}`

describe('a plan of runs', () => {
  it('orders all rows of the first seed before the second, whichever rows are chosen', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...ABLATION_IDS), { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        (rows, n) => {
          const items = planItems(rows, seedsFrom(0, n))
          expect(items.length).toBe(rows.length * n)
          for (let turn = 0; turn < n; turn++) {
            const part = items.slice(turn * rows.length, (turn + 1) * rows.length)
            expect(new Set(part.map(({ ablation }) => ablation))).toEqual(new Set(rows))
            expect(part.every(({ seed }) => seed === turn)).toBe(true)
          }
        },
      ),
    )
  })

  it('runs its configuration with the changes of its rows', () => {
    const of = plan(['frozen-judge', 'step-trained'], 2)
    for (const item of of.items) {
      const { settings, preset, iterations } = requestOf(of, item, 'a')
      expect(settings).toEqual({ ...content.settings, ...ABLATIONS[item.ablation!].settings, seed: item.seed })
      // The name says the same as the settings do.
      expect({ ...presetSettings(preset), seed: item.seed }).toEqual(settings)
      expect(iterations).toBe(7)
    }
    const bare = plan([], 2)
    expect(bare.items.map((item) => requestOf(bare, item, 'a').settings.seed)).toEqual([3, 4])
    expect(requestOf(bare, bare.items[0]!, 'a').preset).toBe('household')
  })

  it('is read back unchanged, and not at all if it is damaged or from another version', () => {
    const kept = JSON.stringify(plan(['full'], 2))
    expect(parsePlan(kept)).toEqual(plan(['full'], 2))
    const other = (change: (json: Record<string, unknown>) => void) => {
      const json = JSON.parse(kept) as Record<string, unknown>
      change(json)
      return parsePlan(JSON.stringify(json))
    }
    const named = kept.replace('"world":"household"', '"setting":"household"')
    expect(named).not.toBe(kept)
    expect(parsePlan(named)).toEqual(plan(['full'], 2))
    const older = kept.replace(/"screen":"text",?/, '')
    expect(older).not.toBe(kept)
    expect(parsePlan(older.replace(',}', '}'))).toEqual(plan(['full'], 2))
    expect(parsePlan(kept.slice(0, -9))).toBeNull()
    expect(other((json) => (json['version'] = 2))).toBeNull()
    expect(other((json) => (json['items'] = []))).toBeNull()
    expect(other((json) => ((json['base'] as { settings: { lambda: unknown } }).settings.lambda = 'much'))).toBeNull()
  })
})

describe('a queue of runs', () => {
  it('runs all items in order, reports each completed one, and leaves nothing in storage', async () => {
    const storage = new MemoryStorage()
    const tab = openTab(storage)
    await tab.queue.begin(plan(['full', 'frozen-judge'], 2))
    for (let i = 0; i < 4; i++) {
      expect(tab.queue.isAt(tab.started.at(-1)!.runId)).toBe(true)
      await end(tab)
    }
    expect(tab.started.map(said)).toEqual(['frozen-judge 3', 'full 3', 'frozen-judge 4', 'full 4'])
    expect(tab.done).toEqual(tab.started.map(({ runId }) => runId))
    expect(tab.queue.plan).toBeNull()
    expect(tab.queue.notice).toBe('The queue is done: 4 runs.')
    expect(storage.length).toBe(0)
  })

  it('names runs in a world from a file by the name of the world', () => {
    const worldFile = { name: 'Key and chest', file: 'key-and-chest.ts', script: 'x', hash: 'a' }
    const own = newPlan({ ...content, preset: 'own', worldFile }, [], [3], { id: 'plan', createdAt: 1 })
    expect(itemName(own.items[0]!, own)).toBe('Key and chest, seed 3')
  })

  it.each(['stopped', 'failed'] as const)('is held by a run that is %s, and resumes it', async (how) => {
    const fate: Record<string, RunFate> = {}
    const tab = openTab(new MemoryStorage(), sharedLocks(), fate)
    await tab.queue.begin(plan([], 3))
    await end(tab)
    await end(tab, how)
    expect(tab.queue.held).toBe(how)
    expect(heldSentence(how, tab.queue.current!, tab.queue.plan!)).toContain('household, seed 4')
    expect(tab.started.length).toBe(2)
    const { runId } = tab.started[1]!
    fate[runId] = 'resumable'
    await tab.queue.resume()
    expect(tab.resumed).toEqual([runId])
    expect(tab.queue.isAt(runId)).toBe(true)
    await end(tab)
    expect(tab.started.map(({ settings }) => settings.seed)).toEqual([3, 4, 5])
  })

  it('starts a run without a checkpoint again, or skips it', async () => {
    const tab = openTab(new MemoryStorage())
    await tab.queue.begin(plan([], 3))
    await end(tab, 'failed')
    await tab.queue.resume()
    expect(tab.started.map(({ settings }) => settings.seed)).toEqual([3, 3])
    await end(tab, 'failed')
    tab.queue.leaveOut()
    await tab.queue.resume()
    await end(tab)
    expect(progressOf(tab.queue.plan!)).toBe('1 of 3 runs done, 1 skipped')
    expect(tab.started.map(({ settings }) => settings.seed)).toEqual([3, 3, 4, 5])
  })

  it('is held when you start another run, which does not become its own', async () => {
    const tab = openTab(new MemoryStorage())
    await tab.queue.begin(plan([], 2))
    await tab.queue.began('mine')
    expect(tab.queue.held).toBe('replaced')
    tab.queue.ended('mine', 'completed')
    expect(tab.started.length).toBe(1)
    expect(progressOf(tab.queue.plan!)).toBe('0 of 2 runs done')
    // Between two of its runs as well.
    await tab.queue.resume()
    tab.queue.ended(tab.started.at(-1)!.runId, 'completed')
    await tab.queue.began('another')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(tab.queue.held).toBe('replaced')
    expect(tab.started.length).toBe(2)
  })

  it('lets the current run finish when the rest is discarded', async () => {
    const storage = new MemoryStorage()
    const tab = openTab(storage)
    await tab.queue.begin(plan([], 3))
    const { runId } = tab.started[0]!
    tab.queue.drop()
    tab.queue.ended(runId, 'completed')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(tab.started.length).toBe(1)
    expect(storage.length).toBe(0)
  })
})

describe('a queue whose page was closed', () => {
  it('is offered to its own deployment on the host only, wherever an earlier version has stored it', async () => {
    const storage = new MemoryStorage()
    const at = (folder: string) => new PlanStore(storage, null, folder)
    const named = (id: string) => newPlan(content, [], seedsFrom(3, 2), { id, createdAt: 5 })
    at('/').save(named('old'))
    expect((await at('/a/').unfinished()).plan?.id).toBe('old')
    at('/a/').remove('old')
    at('/a/').save(named('new'))
    expect((await at('/b/').unfinished()).plan).toBeNull()
    expect((await at('/').unfinished()).plan).toBeNull()
    expect((await at('/a/').take('new'))?.id).toBe('new')
    at('/a/').remove('new')
    expect(storage.length).toBe(0)
  })

  it('is offered at the next visit with its original settings', async () => {
    const storage = new MemoryStorage()
    const fate: Record<string, RunFate> = {}
    const before = openTab(storage)
    await before.queue.begin(plan(['full', 'frozen-judge'], 2))
    await end(before)
    const cut = before.queue.current!.runId!

    const tab = openTab(storage, sharedLocks(), fate)
    await tab.queue.look()
    expect(tab.queue.held).toBe('closed')
    expect(progressOf(tab.queue.plan!)).toBe('1 of 4 runs done')
    expect(tab.queue.plan!.base).toEqual(before.queue.plan!.base)
    fate[cut] = 'resumable'
    await tab.queue.resume()
    expect(tab.resumed).toEqual([cut])
    // Completed runs are overlaid on the curves again.
    expect(tab.done).toEqual([before.started[0]!.runId])
    await end(tab)
    expect(tab.started.map(said)).toEqual(['frozen-judge 4'])
  })

  it('does not repeat a run that ended while the page closed', async () => {
    const storage = new MemoryStorage()
    const before = openTab(storage)
    await before.queue.begin(plan([], 2))
    const tab = openTab(storage, sharedLocks(), { [before.started[0]!.runId]: 'finished' })
    await tab.queue.look()
    await tab.queue.resume()
    expect(tab.started.map(({ settings }) => settings.seed)).toEqual([4])
    expect(tab.done).toEqual([before.started[0]!.runId])
  })

  it('continues when its run is resumed on its own', async () => {
    const storage = new MemoryStorage()
    const before = openTab(storage)
    await before.queue.begin(plan([], 2))
    const tab = openTab(storage)
    await tab.queue.look()
    await tab.queue.began(before.started[0]!.runId)
    expect(tab.queue.held).toBeNull()
    await end(tab)
    expect(tab.started.map(({ settings }) => settings.seed)).toEqual([4])
  })

  it('is not offered while another tab runs it, and never resumed twice', async () => {
    const storage = new MemoryStorage()
    const locks = sharedLocks()
    await openTab(storage, locks).queue.begin(plan([], 2))
    const second = openTab(storage, locks)
    await second.queue.look()
    expect(second.queue.plan).toBeNull()

    const closed = new MemoryStorage()
    await openTab(closed).queue.begin(plan([], 2))
    const shared = sharedLocks()
    const [one, other] = [openTab(closed, shared), openTab(closed, shared)]
    await Promise.all([one.queue.look(), other.queue.look()])
    await one.queue.resume()
    await other.queue.resume()
    expect([one.started.length, other.started.length]).toEqual([1, 0])
    expect(other.queue.notice).toContain('Another tab')
  })

  it('is reported once if it cannot be read, and the newest of the others is offered', async () => {
    const storage = new MemoryStorage()
    storage.setItem('playground.queue/old', '{"version":0}')
    storage.setItem('playground.preferences', '{}')
    storage.setItem('playground.queue/a', JSON.stringify(plan([], 1, 'a', 5)))
    storage.setItem('playground.queue/b', JSON.stringify(plan([], 1, 'b', 9)))
    const tab = openTab(storage)
    await tab.queue.look()
    expect(tab.queue.notice).toContain('1 queue of an earlier visit cannot be read')
    expect(tab.queue.plan?.id).toBe('b')
    expect([...storage.kept.keys()].sort()).toEqual([
      'playground.preferences',
      'playground.queue/a',
      'playground.queue/b',
    ])
  })

  it('runs in a browser without storage, which forgets it', async () => {
    const full = new MemoryStorage()
    full.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    const tab = openTab(full)
    await tab.queue.begin(plan([], 2))
    await end(tab)
    await end(tab)
    expect(tab.done.length).toBe(2)
  })
})

describe('what became of a run', () => {
  it('depends on its progress and on what is kept of it', () => {
    const run = newSummary({ runId: 'a', preset: 'household', settings: content.settings, iterations: 3 })
    const checkpoints = [{ iteration: 2, eventCount: 9, bytes: 1 }]
    expect(fateOf(null)).toBe('gone')
    expect(fateOf(run)).toBe('gone')
    expect(fateOf({ ...run, finishedIterations: 2, checkpoints })).toBe('resumable')
    expect(fateOf({ ...run, finishedIterations: 2, checkpoints, isEvicted: true })).toBe('gone')
    // A stopped run has not ended, because it can continue.
    expect(fateOf({ ...run, finishedIterations: 2, checkpoints, isFinished: true })).toBe('resumable')
    expect(fateOf({ ...run, finishedIterations: 3, isFinished: true })).toBe('finished')
  })

  it('is looked up for the next item', () => {
    const of = plan([], 2)
    expect(nextItem(of)?.seed).toBe(3)
    expect(nextItem({ ...of, items: of.items.map((item) => ({ ...item, state: 'done' })) })).toBeNull()
  })
})
