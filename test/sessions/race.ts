/** Two tabs that share the kept runs race in random order, over a real store. */
import { expect } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { uniformStream } from '../../src/method/random.ts'
import { runDatabase } from '../../src/runs/indexeddb-schema.ts'
import { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
import type { StartRequest } from '../../src/sessions/loop-service.ts'
import { smallSettings } from '../method/corridor.ts'
import { freshDatabases } from '../storage/fresh-databases.ts'
import { finishedIterations, logFaults } from './log-faults.ts'
import { OriginLocks, Tab } from './tabs.ts'

const SETTINGS = smallSettings({
  ...{ evaluateEvery: 0, groupSize: 2, tasksPerIteration: 1, taskPoolSize: 2, maxSteps: 3, evaluationsPerStep: 1 },
  adaptEnvironment: false,
})

const request = (runId: string): StartRequest => ({ runId, preset: 'household', settings: SETTINGS, iterations: 5 })

const tick = () => new Promise((resolve) => setImmediate(resolve))

const ACTIONS = [
  'start',
  'resume',
  'resume',
  'discard',
  'evict',
  'branch',
  'pause',
  'unpause',
  'reload',
  'kill',
] as const

/** Plays a random schedule in two tabs. Returns the failures that the tabs reported. */
async function race(seed: number, database: string, locks: OriginLocks | null): Promise<string[]> {
  const uniform = uniformStream(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(uniform() * items.length)]!
  const open = () => new Tab(database, locks)
  const tabs = [open(), open()]
  const all = [...tabs]
  const runs: string[] = []
  const ignore = () => {}
  for (let step = 0; step < 14; step++) {
    const place = Math.floor(uniform() * tabs.length)
    const { service, library } = tabs[place]!
    const action = step < 2 ? 'start' : pick(ACTIONS)
    const run = runs.length > 0 ? pick(runs) : ''
    const name = `${seed}-${step}`
    if (action === 'start') void service.start(request(name)).catch(ignore)
    if (action === 'resume') void service.resumeRun(run).catch(ignore)
    if (action === 'discard') void library.remove(run).catch(ignore)
    if (action === 'evict') void library.evict(run).catch(ignore)
    if (action === 'pause') void service.pause()
    if (action === 'unpause') void service.resume()
    if (action === 'branch') {
      const from = { from: run, iteration: 1 + Math.floor(uniform() * 3) }
      void service.branchRun({ ...from, runId: name, patch: {}, iterations: 5 }).catch(ignore)
    }
    if (action === 'start' || action === 'branch') runs.push(name)
    if (action === 'reload' || action === 'kill') {
      tabs[place]!.kill()
      // A reloaded page may resume at once; a killed tab is opened again later.
      if (action === 'kill') for (let i = 0; i < 20; i++) await tick()
      all.push((tabs[place] = open()))
      if (action === 'reload') void tabs[place].service.resumeRun(run).catch(ignore)
    }
    const pause = Math.floor(uniform() * 150)
    for (let i = 0; i < pause; i++) await tick()
  }
  for (const tab of tabs) tab.kill()
  for (let i = 0; i < 20; i++) await tick()
  return all.flatMap(({ messages }) =>
    messages.flatMap((message) =>
      message.type === 'status' && message.status.state === 'failed' ? [message.status.failure.what] : [],
    ),
  )
}

/** Describes what is wrong in the database: holes, doubled events, numbers that disagree, parts without a run. */
async function faults(name: string): Promise<{ faults: string[]; events: number }> {
  const store = await IndexedDbRunStore.open(name)
  const found: string[] = []
  const runs = await store.list()
  let count = 0
  for (const { runId, isEvicted, finishedIterations: counted, checkpoints } of runs) {
    const log: LoggedEvent[] = []
    for await (const events of store.readEvents(runId)) log.push(...events)
    count += log.length
    found.push(...logFaults(runId, log))
    if (!isEvicted && finishedIterations(log).length !== counted) found.push(`${runId}: its summary counts otherwise`)
    for (const { iteration, eventCount } of checkpoints) {
      if (eventCount > log.length) found.push(`${runId}: checkpoint ${iteration} is beyond its log`)
      if ((await store.loadCheckpoint(runId, iteration)) === null)
        found.push(`${runId}: checkpoint ${iteration} is lost`)
    }
  }
  store.close()
  const database = await runDatabase(name).open()
  const kept = new Set(runs.map(({ runId }) => runId))
  for (const part of ['chunks', 'checkpoints', 'rows'] as const) {
    for (const [runId] of await database.getAllKeys(part)) {
      if (!kept.has(runId)) found.push(`${part} of ${runId}, which is not listed`)
    }
  }
  database.close()
  return { faults: found, events: count }
}

/** Races once for each seed and checks every log. Returns the number of events, and how often a tab lost its run to the other. */
export async function raceAll(seeds: number, hasLocks: boolean): Promise<{ events: number; lost: number }> {
  freshDatabases()
  const sum = { events: 0, lost: 0 }
  for (let seed = 1; seed <= seeds; seed++) {
    const name = `race ${seed} of ${seeds}, ${hasLocks}`
    const failures = await race(seed, name, hasLocks ? new OriginLocks() : null)
    const found = await faults(name)
    expect(found.faults, `seed ${seed}`).toEqual([])
    sum.events += found.events
    sum.lost += failures.filter((what) => what.includes('no longer this tab')).length
  }
  return sum
}
