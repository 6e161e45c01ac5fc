import { describe, expect, it } from 'vitest'
import type { World } from '../../../src/method/settings.ts'
import { routeDrop } from '../../../src/playground/shell/route-drop.ts'
import { chosenFiles } from '../../../src/storage/dropped-files.ts'
import { WORLD_NAMES } from '../../../src/worlds/index.ts'
import { zipOf } from '../../worlds/household/library/release.ts'

/** A drop of files while a world is chosen, on shelves that say which paths they were given. */
async function dropped(
  paths: readonly string[],
  { world, takes, stopsAfter = Infinity }: { world: World; takes: boolean; stopsAfter?: number },
) {
  const given: [World, string[]][] = []
  const chosen: World[] = []
  const views: string[] = []
  const shelf = (name: World) => ({
    async takeDropped(_texts: readonly File[], files: AsyncGenerator<{ path: string }> | null) {
      // A shelf without imports leaves the files unread.
      if (files === null || (name === world && !takes)) return false
      const all: string[] = []
      // An import may fail before it asks for the first file.
      if (name === world && stopsAfter === 0) await files.return(undefined)
      for await (const { path } of files) {
        all.push(path)
        if (name === world && all.length === stopsAfter) break
      }
      given.push([name, all])
      return true
    },
  })
  const shelves = Object.fromEntries(WORLD_NAMES.map((name) => [name, shelf(name)])) as Record<
    World,
    ReturnType<typeof shelf>
  >
  const files = chosenFiles(paths.map((name) => new File(['x'], name)))
  await routeDrop(
    { logs: [], files },
    {
      world,
      shelves,
      onlog: () => {},
      onpassed: () => {},
      onruns: () => Promise.resolve(),
      onworld: (name) => Promise.resolve(void chosen.push(name)),
      onview: (view) => views.push(view),
    },
  )
  return { given, chosen, views }
}

describe('the files of a drop', () => {
  it('reach the world that claims them although the chosen world takes none of the others', async () => {
    const { given, chosen } = await dropped(['README.md', 'mine.ts'], { world: 'desktop', takes: false })
    expect(given).toEqual([['own', ['mine.ts']]])
    expect(chosen).toEqual(['own'])
  })

  it('go to the chosen world where another one claims some of them', async () => {
    const { given } = await dropped(['games.json', 'mine.ts'], { world: 'household', takes: true })
    expect(Object.fromEntries(given)).toEqual({ own: ['mine.ts'], household: ['games.json'] })
  })

  it.each([0, 1, 2])(
    'reach the world that claims them although the chosen world stops after %s files',
    async (count) => {
      const paths = ['first.ts', 'a.json', 'b.json', 'c.json', 'mine.ts', 'd.json']
      const { given, chosen } = await dropped(paths, { world: 'household', takes: true, stopsAfter: count })
      expect(Object.fromEntries(given)).toEqual({
        own: ['first.ts', 'mine.ts'],
        household: ['a.json', 'b.json'].slice(0, count),
      })
      expect(chosen).toEqual(['own'])
    },
  )

  it('are one import of a world that claims some, which ignores what is beside them', async () => {
    const { given } = await dropped(['README.md', 'mine.ts', 'other.ts', 'notes.txt'], { world: 'own', takes: true })
    expect(given).toEqual([['own', ['mine.ts', 'other.ts']]])
  })

  it('are all for the chosen world, which says so, if no world claims any', async () => {
    const { given, chosen, views } = await dropped(['README.md', 'notes.txt'], { world: 'own', takes: true })
    expect(given).toEqual([['own', ['README.md', 'notes.txt']]])
    expect(chosen).toEqual([])
    expect(views).toEqual(['games'])
  })
})

describe('the runs and logs of a drop', () => {
  const shelf = { takeDropped: async () => false }
  const shelves = Object.fromEntries(WORLD_NAMES.map((name) => [name, shelf])) as Record<World, typeof shelf>
  const runZip = (name: string) =>
    zipOf(['config.json', 'run.jsonl', 'metrics.jsonl'].map((path) => ({ path, text: '{}' }))).then(
      (zip) => new File([zip], name),
    )

  it('are one import of all zips, so that they can be compared, and one opened log, with the others named', async () => {
    const told: unknown[][] = []
    const log = (name: string) => new File(['{"format":"rlanything-run"}'], name)
    await routeDrop(
      {
        logs: ['a.jsonl', 'b.jsonl', 'c.jsonl'].map(log),
        files: chosenFiles([await runZip('1.zip'), new File(['x'], 'README.md'), await runZip('2.zip')]),
      },
      {
        world: 'household',
        shelves,
        onlog: ({ name }) => told.push(['log', name]),
        onpassed: (sentence) => told.push(['passed', sentence]),
        onruns: async (files) => void told.push(['runs', ...files.map(({ name }) => name)]),
        onworld: async () => {},
        onview: (view) => told.push(['view', view]),
      },
    )
    expect(told).toEqual([
      ['log', 'a.jsonl'],
      [
        'passed',
        'Only a.jsonl was read, because the page opens one run log at a time. Not read: b.jsonl and c.jsonl. To keep and compare several, press “Import runs…” under Runs.',
      ],
      ['view', 'runs'],
      ['runs', '1.zip', '2.zip'],
    ])
  })

  it('say nothing of a single log, and take back what was said of the drop before', async () => {
    const told: (string | null)[] = []
    const files = null
    await routeDrop(
      { logs: [new File(['{"format":"rlanything-run"}'], 'a.jsonl')], files },
      {
        world: 'household',
        shelves,
        onlog: () => {},
        onpassed: (sentence) => told.push(sentence),
        onruns: async () => {},
        onworld: async () => {},
        onview: () => {},
      },
    )
    expect(told).toEqual([null])
  })
})
