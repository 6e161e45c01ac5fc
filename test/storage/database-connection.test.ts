import { forceCloseDatabase } from 'fake-indexeddb'
import { deleteDB, openDB, unwrap, type DBSchema } from 'idb'
import { expect, it } from 'vitest'
import { DatabaseConnection } from '../../src/storage/database-connection.ts'
import { databaseName } from '../../src/storage/deployment.ts'
import { freshDatabases } from './fresh-databases.ts'

interface Things extends DBSchema {
  things: { key: string; value: number }
}

freshDatabases()

const connect = () =>
  new DatabaseConnection<Things>('things', 1, (fresh) => {
    fresh.createObjectStore('things')
  })

it('opens a database again after the browser has closed it', async () => {
  const connection = connect()
  const database = await connection.open()
  expect(await connection.open()).toBe(database)
  await database.put('things', 7, 'a')
  forceCloseDatabase(unwrap(database) as never)
  await expect.poll(async () => (await connection.open()) === database).toBe(false)
  expect(await (await connection.open()).get('things', 'a')).toBe(7)
  await connection.close()
})

it('makes way for a newer version, and tries again at each use', async () => {
  const connection = connect()
  await connection.open()
  const newer = await openDB(await databaseName('things'), 2)
  await expect(connection.open()).rejects.toMatchObject({ name: 'VersionError' })
  newer.close()
  await deleteDB(await databaseName('things'))
  expect(await (await connection.open()).count('things')).toBe(0)
  await connection.close()
})
