import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { LibraryGame, SourceFile } from '../../src/worlds/household/library/game-library.ts'
import { ArchiveError, zipFiles } from '../../src/storage/zip-files.ts'
import { gameFiles, isLeftOut, noGameFiles } from '../worlds/household/official-data.ts'
import {
  imported,
  isGamePath,
  smallRelease,
  sources,
  zipOf,
  type Imported,
  type NamedText,
} from '../worlds/household/library/release.ts'

/** The files of an archive, and the error at its end. */
async function unpacked(zip: Blob): Promise<Imported & { paths: string[]; ending: string | null }> {
  const paths: string[] = []
  let ending: string | null = null
  async function* files() {
    try {
      for await (const file of zipFiles(zip)) {
        paths.push(file.path)
        yield file
      }
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      ending = error.message
    }
  }
  return { ...(await imported(files())), paths, ending }
}

async function bytesOf(zip: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await zip.arrayBuffer())
}

/** Where a text begins in an archive: its first or its last occurrence. */
function find(bytes: Uint8Array, text: string, isLast = false): number {
  const buffer = Buffer.from(bytes.buffer)
  const at = isLast ? buffer.lastIndexOf(text) : buffer.indexOf(text)
  if (at < 0) throw new Error(`There is no "${text}" in the archive.`)
  return at
}

const release = smallRelease()
const gamePaths = release.map(({ path }) => path).filter(isGamePath)
const third = gamePaths[2]!

let whole: Imported
beforeAll(async () => {
  whole = await imported(sources(release))
})

/** Sizes before or after a file, in 32 bits or 64. */
const LAYOUTS = [false, true].flatMap((dataDescriptor) => [false, true].map((zip64) => ({ dataDescriptor, zip64 })))

const without = (...paths: string[]) =>
  whole.games.filter((_, index) => !paths.includes(gamePaths[index]!)).map(({ id }) => id)
const idsOf = ({ games }: Imported) => games.map(({ id }) => id)

describe('a zip of games', () => {
  it.each([
    ['with sizes before each file', { dataDescriptor: false }],
    ['with sizes after each file, as streaming tools write it', { dataDescriptor: true }],
    ['in zip64', { zip64: true }],
    ['without compression', { level: 0 }],
  ])('is read %s', async (_, options) => {
    const { paths, games, problems, ending } = await unpacked(await zipOf(release, options))
    expect(paths).toEqual(release.map(({ path }) => path))
    expect(games).toEqual(whole.games)
    expect([problems, ending]).toEqual([[], null])
  })

  it('is read with backslashes for slashes, and with names that would be unsafe to unpack', async () => {
    const odd = release.map(({ path, text }, index) => ({
      path: index % 2 === 0 ? path.replaceAll('/', '\\') : `../../${path}`,
      text,
    }))
    const { games, paths } = await unpacked(await zipOf(odd))
    expect(games).toEqual(whole.games)
    expect(paths[0]).toBe(release[0]!.path)
  })

  it('may contain other files, which are skipped', async () => {
    const others = [{ path: 'README.md', text: 'x' }, { path: 'logic/alfred.pddl', text: 'x' }, { path: 'empty/', text: '' }] // prettier-ignore
    const { games, problems, ending } = await unpacked(await zipOf([...others, ...release]))
    expect([games.length, problems, ending]).toEqual([whole.games.length, [], null])
  })

  it('may be empty', async () => {
    expect(await unpacked(await zipOf([]))).toEqual({ games: [], problems: [], paths: [], ending: null })
  })
})

describe('a damaged zip of games', () => {
  it.each([{ dataDescriptor: false }, { dataDescriptor: true }])(
    'gives all games except the damaged one, which it reports (%j)',
    async (options) => {
      const bytes = await bytesOf(await zipOf(release, options))
      const at = find(bytes, third) + third.length + 300
      for (let i = 0; i < 8; i++) bytes[at + i]! ^= 0xff
      const result = await unpacked(new Blob([bytes]))
      expect(idsOf(result)).toEqual(without(third))
      expect(result.problems.map(({ path }) => path)).toEqual([third])
      expect(result.problems[0]!.reason).toMatch(/^It cannot be read: it cannot be unpacked \(.+\)\.$/)
      expect(result.ending).toBeNull()
    },
  )

  it('does so even if the header before a file is damaged', async () => {
    const bytes = await bytesOf(await zipOf(release))
    bytes[find(bytes, third) - 30] = 0
    const result = await unpacked(new Blob([bytes]))
    expect(idsOf(result)).toEqual(without(third))
    expect(result.problems.map(({ path }) => path)).toEqual([third])
  })

  it.each(LAYOUTS)(
    'gives the games before a cut, reports the truncated one, and ends with an error (%j)',
    async (options) => {
      const bytes = await bytesOf(await zipOf(release, options))
      const cutAt = find(bytes, third) + third.length + 500
      const result = await unpacked(new Blob([bytes.slice(0, cutAt)]))
      expect(idsOf(result)).toEqual(whole.games.slice(0, 2).map(({ id }) => id))
      expect(result.problems.map(({ path }) => path)).toEqual([third])
      expect(result.ending).toMatch(/has no list of files.* 7 files .*Download it again/)
    },
  )

  it.each(LAYOUTS)('gives the games before and after a gap if the list is lost (%j)', async (options) => {
    const bytes = await bytesOf(await zipOf(release, options))
    const list = find(bytes, 'PK\x01\x02')
    const start = find(bytes, third)
    bytes.fill(0, start - 30, start + third.length + 500)
    const result = await unpacked(new Blob([bytes.slice(0, list)]))
    expect(idsOf(result)).toEqual(without(third))
    expect(result.ending).toContain('has no list of files')
  })

  it.each(LAYOUTS)('gives the file after an empty one (%j)', async (options) => {
    const texts = ['', 'hello', '', '', 'there', ''].map((text, i) => ({ path: `${i}.txt`, text }))
    const bytes = await bytesOf(await zipOf(texts, options))
    for (const end of [find(bytes, 'PK\x01\x02'), bytes.length - 1]) {
      const read: string[] = []
      const reading = async () => {
        for await (const file of zipFiles(new Blob([bytes.slice(0, end)])))
          read.push(new TextDecoder().decode(await file.bytes()))
      }
      await expect(reading()).rejects.toThrow('has no list of files')
      expect(read).toEqual(texts.map(({ text }) => text))
    }
  })

  it('is not misled by a file that contains zip records', async () => {
    const signatures = 'PK\x07\x08 and PK\x07\x08, '.repeat(9)
    const bytes = await bytesOf(await zipOf([{ path: 'a/notes', text: signatures }, ...release], { level: 0 }))
    const cut = new Blob([bytes.slice(0, find(bytes, 'PK\x01\x02'))])
    const first = (await zipFiles(cut).next()).value as SourceFile
    expect([first.path, new TextDecoder().decode(await first.bytes())]).toEqual(['a/notes', signatures])
    expect((await unpacked(cut)).games).toEqual(whole.games)
  })

  it('is read from its headers if its list is damaged', async () => {
    const bytes = await bytesOf(await zipOf(release))
    const list = find(bytes, 'PK\x01\x02')
    bytes.fill(0xee, list, list + 600)
    const result = await unpacked(new Blob([bytes]))
    expect(idsOf(result)).toEqual(without())
    expect(result.ending).toContain('has no list of files')
  })

  it('is refused if it is not a zip at all', async () => {
    for (const text of ['', 'PK', 'just a text', '\0'.repeat(100_000)]) {
      const result = await unpacked(new Blob([text]))
      expect(result).toMatchObject({ games: [], problems: [], paths: [] })
      expect(result.ending).toContain('not a zip archive')
    }
  })

  it('reports encrypted games', async () => {
    const { games, problems } = await unpacked(await zipOf(release, { password: 'secret' }))
    expect(games).toEqual([])
    expect(new Set(problems.map(({ reason }) => reason))).toEqual(
      new Set(['It cannot be read: it is encrypted; unpack the archive and import the folder instead.']),
    )
  })

  it('refuses to unpack a file far larger than a game', async () => {
    const bytes = await bytesOf(await zipOf(release, { dataDescriptor: false }))
    new DataView(bytes.buffer).setUint32(find(bytes, third, true) - 22, 2 ** 30, true)
    const result = await unpacked(new Blob([bytes]))
    expect(result.problems).toEqual([
      { path: third, reason: 'It cannot be read: unpacked, it is larger than any game.' },
    ])
    expect(idsOf(result)).toEqual(without(third))
  })

  it('never gives a game that was not in it, whatever the damage', async () => {
    const contentOf = ({ game: { receptacles, objects, goal } }: LibraryGame) =>
      JSON.stringify([receptacles, objects, goal])
    const contents = new Set(whole.games.map(contentOf))
    const original = await bytesOf(await zipOf(release))
    const damage = fc.record({
      changes: fc.array(fc.record({ at: fc.nat(original.length - 1), byte: fc.nat(255) }), { maxLength: 30 }),
      end: fc.oneof(fc.constant(original.length), fc.nat(original.length)),
    })
    await fc.assert(
      fc.asyncProperty(damage, async ({ changes, end }) => {
        const bytes = original.slice(0, end)
        for (const { at, byte } of changes) if (at < end) bytes[at] = byte
        const { games, problems } = await unpacked(new Blob([bytes]))
        for (const game of games) expect(contents).toContain(contentOf(game))
        for (const { reason } of problems) expect(reason).toMatch(/^It[^\n]+\.$/)
      }),
      { numRuns: 60 },
    )
  })
})

describe.skipIf(isLeftOut('released game files in a zip', noGameFiles))('a zip of released game files', () => {
  const files: NamedText[] = gameFiles.map(({ id, path }) => ({
    path: `json_2.1.1/${id}/game.tw-pddl`,
    text: readFileSync(path, 'utf8'),
  }))

  it('gives the same games as the files, and the others if three are damaged', async () => {
    const expected = await imported(sources(files))
    expect([expected.games.length, expected.problems]).toEqual([files.length, []])
    const zip = await zipOf(files)
    expect((await unpacked(zip)).games).toEqual(expected.games)

    const bytes = await bytesOf(zip)
    const damaged = [1, Math.floor(files.length / 2), files.length - 1].map((index) => files[index]!.path)
    for (const path of damaged) bytes[find(bytes, path) + path.length + 1000]! ^= 0x55
    const rest = await unpacked(new Blob([bytes]))
    expect(rest.problems.map(({ path }) => path)).toEqual(damaged)
    expect(rest.games).toEqual(expected.games.filter((_, index) => !damaged.includes(files[index]!.path)))

    const half = await unpacked(zip.slice(0, zip.size / 2))
    expect(half.games).toEqual(expected.games.slice(0, half.games.length))
    expect(half.games.length).toBeGreaterThan(files.length / 4)
    expect([half.problems.length, half.ending !== null]).toEqual([1, true])
  })
})
