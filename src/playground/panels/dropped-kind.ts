/** Whether a file that could be either is a run log or problems: its name does not tell, so its beginning is read. */
import type { World } from './worlds.ts'

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
