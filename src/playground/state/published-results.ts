/** The published results, one table at a time. */
import {
  parseResults,
  parseResultsIndex,
  ResultsError,
  type ResultsFile,
  type TableName,
} from '../../results/results-file.ts'
import { FetchedParts } from './fetched-parts.svelte.ts'

/** Null for a table without published results. */
export type PublishedResults = FetchedParts<TableName, ResultsFile | null>

export function createPublishedResults(): PublishedResults {
  let index: Promise<readonly TableName[]> | null = null
  /** A failed request is made again. */
  const readIndex = () =>
    (index ??= fetchJson('./results/index.json')
      .then(parseResultsIndex)
      .catch((error: unknown) => {
        index = null
        throw error
      }))
  return new FetchedParts(async (name) =>
    (await readIndex()).includes(name) ? parseResults(await fetchJson(`./results/${name}.json`)) : null,
  )
}

/** Throws ResultsError for what is not JSON, and TypeError without a network. */
async function fetchJson(address: string): Promise<unknown> {
  const response = await fetch(address)
  if (!response.ok) throw new ResultsError(`${address} answered with status ${response.status}.`)
  try {
    return await response.json()
  } catch (cause) {
    // A development server answers an unknown address with the page itself.
    throw new ResultsError(`${address} is not JSON.`, { cause })
  }
}
