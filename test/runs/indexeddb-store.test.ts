/** A database that another worker blocks. How runs are kept in a real browser is tested in test/browser. */
import { describe, expect, it } from 'vitest'
import { openRunDatabase } from '../../src/runs/indexeddb-schema.ts'
import { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
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
})
