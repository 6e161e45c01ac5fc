/** Gives the files of a drop to what reads them: run logs, exported runs, and the shelves of worlds. */
import type { World } from '../../method/settings.ts'
import type { Drop, PickedFile } from '../../storage/dropped-files.ts'
import { WORLD_NAMES } from '../../worlds/index.ts'
import type { WorldShelf } from '../state/world-shelf.ts'
import { WORLD_PAGES } from '../worlds/index.ts'
import { droppedKind, given, sorted } from './dropped-kind.ts'

interface Receivers {
  /** The world of the next run, which files of no other kind are for. */
  world: World
  shelves: Readonly<Record<World, Pick<WorldShelf, 'takeDropped'>>>
  onlog: (file: File) => void
  /** A sentence on the logs that are not opened; null if there are none. */
  onpassed: (sentence: string | null) => void
  /** All exported runs of the drop, so that several can be compared. */
  onruns: (files: readonly File[]) => Promise<void>
  /** A file chooses a world. */
  onworld: (world: World) => Promise<void>
  /** Where the page shows what became of the files. */
  onview: (view: 'runs' | 'games') => void
}

/** Resolves when every file has a reader, except those that an import still has before it, which lists them as it goes. */
export async function routeDrop({ logs, files }: Drop, receivers: Receivers): Promise<void> {
  const { world, shelves, onlog, onpassed, onruns, onworld, onview } = receivers
  const kinds = await Promise.all(
    logs.map(async (file) => ({ file, kind: await droppedKind(file, world).catch(() => 'log') })),
  )
  const [log, ...further] = kinds.filter(({ kind }) => kind === 'log').map(({ file }) => file)
  if (log) onlog(log)
  onpassed(log && further.length > 0 ? notOpened(log, further) : null)
  let areOthersShown = false
  const showOthers = () => {
    areOthersShown = true
    onview('games')
  }
  const claiming = new Map<World, Promise<boolean>>()
  let others = await sorted(files, {
    onRuns(runs) {
      // A long import may end by now, whose progress stays on show.
      if (!areOthersShown) onview('runs')
      void onruns(runs)
    },
    onClaimed(name, claimed) {
      claiming.set(name, shelves[name].takeDropped([], given(claimed)))
      void onworld(name).then(showOthers)
    },
  })
  // What a world claims is known at the end. A README beside its files is then no mistake to report.
  if (others !== null && WORLD_PAGES[world].claims) {
    const rest = await listed(others)
    others = claiming.has(world) ? null : given(rest)
  }
  for (const name of WORLD_NAMES) {
    const texts = kinds.filter(({ kind }) => kind === name).map(({ file }) => file)
    const isTaken = await shelves[name].takeDropped(texts, name === world ? others : null)
    if (isTaken && name === world) showOthers()
    // Exported runs and claimed files may come after those that this world has no use for.
    if (!isTaken && name === world && others !== null) await listed(others)
  }
  await Promise.all(claiming.values())
}

function notOpened(log: File, further: readonly File[]): string {
  const names = new Intl.ListFormat('en').format(further.map(({ name }) => name))
  return `Only ${log.name} was read, because the page opens one run log at a time. Not read: ${names}. To keep and compare several, press “Import runs…” under Runs.`
}

async function listed(files: AsyncGenerator<PickedFile>): Promise<PickedFile[]> {
  const all: PickedFile[] = []
  for await (const file of files) all.push(file)
  return all
}
