/**
 * Recognises dropped files: run logs and tasks of a world by their beginning, since their names do not tell, and exported
 * runs by the names in the zip (dropped-zip.ts).
 */
import { WORLD_NAMES } from '../../worlds/index.ts'
import { WORLD_PAGES } from '../worlds/index.ts'
import type { PickedFile } from '../../storage/dropped-files.ts'
import { isRunZip } from './dropped-zip.ts'
import type { World } from '../../method/settings.ts'

/** A run log, or tasks of a world. */
type DroppedKind = 'log' | World

const HEAD_BYTES = 2 ** 16

export async function droppedKind(file: Blob, world: World): Promise<DroppedKind> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  // Only logs are packed.
  if (head[0] === 0x1f && head[1] === 0x8b) return 'log'
  return kindOfText(new TextDecoder().decode(head), world)
}

/** Unrecognised text goes to the world that takes it, whose reader then reports what is wrong; else it counts as a log. */
function kindOfText(head: string, world: World): DroppedKind {
  const start = head.replace(/^\uFEFF/, '').trimStart()
  const firstLine = start.slice(0, /\n|$/.exec(start)!.index)
  if (/^\{\s*"format"\s*:\s*"rlanything-run"|^\{.*"type"\s*:\s*"run-started"/.test(firstLine)) return 'log'
  const owner = WORLD_NAMES.find((name) => WORLD_PAGES[name].recognises(start))
  return owner ?? (WORLD_PAGES[world].takesUnknownText ? world : 'log')
}

export interface Found {
  onRuns: (runs: File[]) => void
  onClaimed: (world: World, files: PickedFile[]) => void
}

/**
 * Separates exported runs and files that a world claims from the files to search for games or problems. Null if there are none of the
 * latter. Both are handed over once all files are listed. A reader of the rest that stops early has to return the generator, which then
 * looks through what is left. Zips inside folders are not checked.
 */
export async function sorted(
  files: AsyncGenerator<PickedFile> | null,
  found: Found,
): Promise<AsyncGenerator<PickedFile> | null> {
  if (files === null) return null
  const others = otherFiles(files, found)
  const first = await others.next()
  return first.done ? null : others
}

/**
 * Yields the first file twice. Whoever takes it once has started the generator: one that was never started ends without its `finally`,
 * for example where an import fails before it asks for a file.
 */
async function* otherFiles(
  files: AsyncGenerator<PickedFile>,
  { onRuns, onClaimed }: Found,
): AsyncGenerator<PickedFile> {
  const runs: File[] = []
  const claimed = new Map<World, PickedFile[]>()
  const nextOther = async (): Promise<PickedFile | null> => {
    for (;;) {
      const next = await files.next()
      if (next.done) return null
      const picked = next.value
      const { path, file } = picked
      const claiming = WORLD_NAMES.find((world) => WORLD_PAGES[world].claims?.(path))
      if (claiming !== undefined) claimed.set(claiming, [...(claimed.get(claiming) ?? []), picked])
      else if (file !== null && !path.includes('/') && (await isRunZip(file))) runs.push(file)
      else return picked
    }
  }
  let other: PickedFile | null = null
  try {
    other = await nextOther()
    if (other !== null) yield other
    while (other !== null) {
      yield other
      other = await nextOther()
    }
  } finally {
    // A cancelled import leaves files, among which runs and worlds have their own readers.
    while (other !== null) other = await nextOther()
    if (runs.length > 0) onRuns(runs)
    for (const [world, its] of claimed) onClaimed(world, its)
  }
}

export async function* given(files: readonly PickedFile[]): AsyncGenerator<PickedFile> {
  yield* files
}
