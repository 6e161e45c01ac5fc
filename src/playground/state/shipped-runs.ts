/** Whole recorded runs that ship with the page, by their name in `runs/`, for views that read one whatever run is on show. */
import type { RunView } from '../../runs/fold.ts'
import { FetchedParts } from './fetched-parts.svelte.ts'
import { readRecording } from './recording.ts'
import { hasFile } from '../kit/has-file.ts'

export type ShippedRuns = FetchedParts<string, RunView>

export const createShippedRuns = (): ShippedRuns =>
  new FetchedParts(async (name) => (await readShipped(`./runs/${name}.jsonl.gz`)).whole)

/** Throws RunLogError for a damaged file, Error for a missing one, and TypeError without a network. */
export async function readShipped(address: string): ReturnType<typeof readRecording> {
  const response = await fetch(address)
  if (!hasFile(response) || !response.body) throw new Error(`${address} is missing.`)
  return readRecording(response.body)
}
