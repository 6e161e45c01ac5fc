/**
 * What dropped files are. Whether one is a run log or problems, its name does not tell, so its beginning is read; whether a
 * zip is an exported run or the world's own, the names in it tell (dropped-zip.ts).
 */
import type { PickedFile } from '../../worlds/household/library/dropped-files.ts'
import { isRunZip } from './dropped-zip.ts'
import type { World } from '../run/worlds.ts'

export type DroppedKind = 'log' | 'problems'

const HEAD_BYTES = 2 ** 16

export async function droppedKind(file: Blob, world: World): Promise<DroppedKind> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  // Packed: problems are never.
  if (head[0] === 0x1f && head[1] === 0x8b) return 'log'
  return kindOfText(new TextDecoder().decode(head), world)
}

/** What says neither is taken for what belongs to the world, whose reader then says what is wrong with it. */
export function kindOfText(head: string, world: World): DroppedKind {
  const start = head.replace(/^\uFEFF/, '').trimStart()
  const firstLine = start.slice(0, /\n|$/.exec(start)!.index)
  if (/^\{\s*"format"\s*:\s*"rlanything-run"|^\{.*"type"\s*:\s*"run-started"/.test(firstLine)) return 'log'
  if (start.startsWith('[') || /"(?:question|test_input|test_method)"\s*:/.test(start)) return 'problems'
  return world === 'coding' ? 'problems' : 'log'
}

/**
 * What is searched for games or problems: all but zips of runs, which `onRun` is given when they are come to. Null where
 * nothing else was dropped. Files in folders stay with what they lie beside.
 */
export async function withoutRunZips(
  files: AsyncGenerator<PickedFile> | null,
  onRun: (file: File) => void,
): Promise<AsyncGenerator<PickedFile> | null> {
  if (files === null) return null
  const others = otherFiles(files, onRun)
  const first = await others.next()
  return first.done ? null : startingWith(first.value, others)
}

async function* otherFiles(files: AsyncGenerator<PickedFile>, onRun: (file: File) => void): AsyncGenerator<PickedFile> {
  for await (const picked of files) {
    const { path, file } = picked
    if (file !== null && !path.includes('/') && (await isRunZip(file))) onRun(file)
    else yield picked
  }
}

async function* startingWith(first: PickedFile, rest: AsyncGenerator<PickedFile>): AsyncGenerator<PickedFile> {
  yield first
  yield* rest
}
