import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TaskEmbeddingService } from '../../../src/engines/embedding/task-embedding.ts'
import { folderReader } from '../../../src/language-model/files/folder-reader.ts'
import { ModelFileError } from '../../../src/language-model/files/model-folder.ts'
import { writeTinyModels } from '../transformer/tiny-folders.ts'

let folder: string
beforeAll(async () => {
  folder = await writeTinyModels()
})
afterAll(() => rmSync(folder, { recursive: true }))

const pool = ['go to the desk', 'take the drawer 1', 'go to the drawer 2', 'zzz', 'go to the desk 1'].map(
  (instruction, i) => ({ instruction, kind: i < 3 ? 'a' : 'b' }),
)

describe('distances of tasks in meaning', () => {
  it('are read against pairs of the pool, measured one by one', async () => {
    const service = new TaskEmbeddingService((world) => folderReader(join(folder, `${world}-policy`)))
    const { random, sameKind } = await service.open('household', pool)
    const all: { root: string; text: string; isSame: boolean }[] = []
    for (const [i, a] of pool.entries())
      for (const b of pool.slice(0, i))
        all.push({ root: a.instruction, text: b.instruction, isSame: a.kind === b.kind })
    const distances = await service.distances(all)
    const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    expect(random).toBeCloseTo(meanOf([...distances]), 5)
    expect(sameKind).toBeCloseTo(meanOf([...distances].filter((_, i) => all[i]!.isSame)), 5)
    const [same, other] = await service.distances([
      { root: 'take the desk', text: 'take the desk' },
      { root: 'take the desk', text: 'take 1' },
    ])
    expect(same).toBe(0)
    expect(other).toBeGreaterThan(0)
  })

  it('embed a text once, whoever asks, until another world has another model', async () => {
    const reads: string[] = []
    const service = new TaskEmbeddingService((world) => {
      reads.push(world)
      return folderReader(join(folder, `${world}-policy`))
    })
    await service.open('household', pool)
    expect(service.cached).toBe(pool.length)
    const pairs = [{ root: 'zzz', text: 'go to the desk' }, { root: 'zzz', text: 'new' }] // prettier-ignore
    const first = await service.distances(pairs)
    expect(service.cached).toBe(pool.length + 1)
    await service.open('household', pool.slice(0, 2))
    await service.open('household', pool)
    expect(service.cached).toBe(pool.length + 1)
    expect(await service.distances(pairs)).toEqual(first)
    expect(reads).toEqual(['household'])
    await service.open('coding', pool)
    expect(reads).toEqual(['household', 'coding'])
    expect(service.cached).toBe(pool.length)
  })

  it('say what is missing, and that a pool comes first', async () => {
    const nowhere = new TaskEmbeddingService(() => folderReader(join(folder, 'nowhere')))
    await expect(nowhere.open('household', pool)).rejects.toThrow(ModelFileError)
    await expect(nowhere.distances([{ root: 'a', text: 'b' }])).rejects.toThrow('call open first')
  })

  it('have no references where there are no pairs', async () => {
    const service = new TaskEmbeddingService((world) => folderReader(join(folder, `${world}-policy`)))
    expect(await service.open('household', pool.slice(0, 1))).toEqual({ random: null, sameKind: null })
    const apart = await service.open('household', [pool[0]!, { ...pool[1]!, kind: 'b' }])
    expect(apart.sameKind).toBeNull()
    expect(apart.random).toBeGreaterThan(0)
  })
})
