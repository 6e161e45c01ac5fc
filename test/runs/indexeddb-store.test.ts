/** A database that another worker blocks. How runs are kept in a real browser is tested in test/browser. */
import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'
import { openRunDatabase } from '../../src/runs/indexeddb-schema.ts'
import { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
import { newSummary } from '../../src/runs/run-store.ts'
import { databaseName } from '../../src/storage/deployment.ts'
import { freshDatabases } from '../storage/fresh-databases.ts'

freshDatabases()

describe('the store of runs', () => {
  it('reports a database in which a reading never ends, and opens once it has ended', async () => {
    const other = await openRunDatabase(await databaseName('blocked'))
    const reading = other.transaction('runs')
    let isReading = true
    const readOn = async () => {
      while (isReading) await reading.store.count()
    }
    const read = readOn()
    await expect(IndexedDbRunStore.open('blocked', 20)).rejects.toThrow('storage does not answer')
    isReading = false
    await read
    const store = await IndexedDbRunStore.open('blocked')
    expect(await store.list()).toEqual([])
    store.close()
    other.close()
  })

  it('keeps which version of a world of one’s own a run plays in, without its script', async () => {
    const store = await IndexedDbRunStore.open('own')
    const run = { runId: 'a', preset: 'own', settings: presetSettings('own'), iterations: 3 }
    await store.create(newSummary(run))
    const worldFile = { name: 'Numbers', file: 'numbers.ts', script: 'globalThis.ownWorld = {}', hash: 'a'.repeat(64) }
    const models = { policy: 'p', reward: 'r', author: 'a' }
    await store.append('a', [{ type: 'run-started', seq: 0, iteration: 0, ...run, backend: 'cpu', models, worldFile }])
    expect((await store.summary('a'))!.worldFile).toEqual({ name: 'Numbers', hash: 'a'.repeat(64) })
    store.close()
  })

  it('gives the summary of an older run the default of a setting that came later', async () => {
    const store = await IndexedDbRunStore.open('older')
    const run = { runId: 'old', preset: 'household', settings: presetSettings('household'), iterations: 3 }
    await store.create(newSummary({ ...run, models: {}, keyedServers: [] }))
    store.close()
    const database = await openRunDatabase(await databaseName('older'))
    const { screen: _, ...before } = presetSettings('household')
    await database.put('runs', { ...(await database.get('runs', 'old'))!, settings: before as Settings })
    database.close()
    const again = await IndexedDbRunStore.open('older')
    expect((await again.summary('old'))!.settings).toEqual(presetSettings('household'))
    expect((await again.list())[0]!.settings.screen).toBe('text')
    again.close()
  })
})
