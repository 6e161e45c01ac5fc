import { expect, it } from 'vitest'
import { databaseName, deploymentFolder } from '../../src/storage/deployment.ts'
import { freshDatabases } from './fresh-databases.ts'

freshDatabases()

it.each([
  ['https://host.test/', '/'],
  ['https://host.test/course/index.html?embed#learn', '/course/'],
  ['https://host.test/course/assets/loop.worker-a1.js', '/course/'],
  ['http://localhost:5173/workers/loop.ts?worker_file&type=module', '/'],
])('the page’s folder is found from the page and from its workers: %s', (address, folder) => {
  expect(deploymentFolder(address)).toBe(folder)
})

it('the first deployment keeps the plain names, others on the origin get names of their own, and all keep theirs', async () => {
  const names = await Promise.all(['/a/', '/b/', '/a/'].map((folder) => databaseName('runs', folder)))
  expect(names).toEqual(['runs', 'runs /b/', 'runs'])
  expect(await databaseName('games', '/b/')).toBe('games /b/')
  expect(await databaseName('games', '/a/')).toBe('games')
})
