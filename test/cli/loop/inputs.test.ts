import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importLibrary } from '../../../src/cli/loop/import-library.ts'
import { contentHash, inputsOf } from '../../../src/cli/loop/inputs.ts'
import { DEFAULT_LORA } from '../../../src/cli/loop/role-arguments.ts'
import { folderSource, sourcesOf, type RoleSource } from '../../../src/roles/source.ts'
import { writtenGame } from '../../worlds/household/library/game-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inputs-'))
  for (const name of ['household-policy', 'household-reward', 'household-author', 'mine']) writeModel(name, '1')
})
afterEach(() => rmSync(folder, { recursive: true }))

function writeModel(name: string, weights: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'config.json'), '{}')
  writeFileSync(join(folder, name, 'model.safetensors'), weights)
}

const inputs = (policy?: RoleSource) =>
  inputsOf(sourcesOf(policy && { policy }), 'household', (name) => join(folder, name))

/** Names of what differs after a change. */
async function changedBy(change: () => void, policy?: RoleSource): Promise<string[]> {
  const before = await inputs(policy)
  change()
  const after = await inputs(policy)
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
}

describe('what a run was given', () => {
  it('has the weights of models whose weights the checkpoint does not have', async () => {
    expect(await changedBy(() => writeModel('household-author', '2'))).toEqual(['author weights'])
    expect(await changedBy(() => writeModel('household-policy', '2'))).toEqual([])
    const mine = folderSource(join(folder, 'mine'))
    expect(await changedBy(() => writeModel('mine', '2'), mine)).toEqual([])
    expect(await changedBy(() => writeModel('mine', '3'), { ...mine, adapters: DEFAULT_LORA })).toEqual([
      'policy weights',
    ])
  })

  it('has the other files of every model, as a new tokenizer reads the same tokens otherwise', async () => {
    const write = () => writeFileSync(join(folder, 'household-policy', 'tokenizer.json'), '{}')
    expect(await changedBy(write)).toEqual(['policy files'])
  })

  it('is the same for a folder that has moved, and names adapters as --lora does', async () => {
    const source = { ...folderSource(join(folder, 'mine')), adapters: DEFAULT_LORA }
    const before = await inputs(source)
    renameSync(join(folder, 'mine'), join(folder, 'moved'))
    expect(await inputs({ ...source, location: join(folder, 'moved') })).toEqual(before)
    expect(before).toMatchObject({ 'policy adapters': 'rank=16,alpha=32,dropout=0,targets=all' })
  })

  it('has the address of a server or a remote folder, without how requests are sent', async () => {
    const server = { kind: 'openai' as const, model: 'm', concurrency: 4, timeoutSeconds: 9 }
    const one = await inputs({ ...server, baseUrl: 'http://one' })
    expect(await inputs({ ...server, baseUrl: 'http://one', concurrency: 8, timeoutSeconds: 1 })).toEqual(one)
    expect(await inputs({ ...server, baseUrl: 'http://two' })).not.toEqual(one)
    expect(await inputs(folderSource('https://host/a/b/resolve/main'))).toMatchObject({
      'policy location': 'https://host/a/b/resolve/main',
    })
  })
})

describe('the hash of imported tasks', () => {
  it('depends on the games, not on the order or the place of their files', async () => {
    const hashOf = async (name: string) => (await importLibrary(join(folder, name), () => {})).hash
    const games = [writtenGame(1, 'train'), writtenGame(2, 'train')]
    for (const { path, text } of games) {
      mkdirSync(join(folder, 'games', path, '..'), { recursive: true })
      writeFileSync(join(folder, 'games', path), text)
    }
    cpSync(join(folder, 'games'), join(folder, 'copy', 'deep'), { recursive: true })
    expect(await hashOf('copy')).toBe(await hashOf('games'))
    rmSync(join(folder, 'copy', 'deep', games[1]!.path))
    expect(await hashOf('copy')).not.toBe(await hashOf('games'))
  })

  it('depends on the order of problems, in which a run draws them', () => {
    expect(contentHash([{ id: 'a' }, { id: 'b' }])).not.toBe(contentHash([{ id: 'b' }, { id: 'a' }]))
  })
})
