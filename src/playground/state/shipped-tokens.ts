/** The tokens of the run that a world shows first. They would be most of its log, so they have a file of their own. */
import type { World } from '../../method/settings.ts'
import { hasFile } from '../kit/has-file.ts'

/** A log (runs/token-excerpt.ts). Throws an Error with a sentence if there is none. */
export async function shippedTokens(world: World): Promise<{ file: Blob }> {
  const response = await fetch(`./runs/${world}-tokens.jsonl.gz`).catch(() => null)
  if (response === null)
    throw new Error('The tokens of the recorded run could not be loaded. Check the connection, and try again.')
  if (!hasFile(response)) throw new Error('This recorded run comes without tokens. Start your own run to see them.')
  return { file: await response.blob() }
}
