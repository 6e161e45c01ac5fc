/** The held-out episodes of the run on show before and after training. */
import type { World } from '../../method/settings.ts'
import { HeldOutReader, type HeldOutGames } from '../../runs/held-out-games.ts'
import { readRecording } from './recording.ts'
import type { RunOnShow } from './run-on-show.ts'
import { hasFile } from '../kit/has-file.ts'

interface KeptRuns {
  has(runId: string): boolean
  heldOut(runId: string): Promise<HeldOutGames[]>
}

/** None for a run that is not kept, or has no evaluations. Throws RunLogError for a damaged file and TypeError without a network. */
export async function heldOutGames(run: RunOnShow, kept: KeptRuns, world: World): Promise<readonly HeldOutGames[]> {
  if (run.origin === 'shipped') return run.recording ? [] : gamesOfShipped(world)
  if (run.file) return gamesIn(run.file.stream())
  return run.runId !== null && kept.has(run.runId) ? kept.heldOut(run.runId) : []
}

/** A shipped run has a file of its own for them: they would be most of its log. */
async function gamesOfShipped(world: World): Promise<readonly HeldOutGames[]> {
  const response = await fetch(`./runs/${world}-before-after.jsonl.gz`)
  if (!hasFile(response) || !response.body) return []
  return gamesIn(response.body)
}

async function gamesIn(log: ReadableStream<Uint8Array>): Promise<HeldOutGames[]> {
  const reader = new HeldOutReader()
  await readRecording(log, (event) => reader.take(event))
  return reader.games()
}
