/** The published results, fetched by the views that show them. */
import {
  parseResults,
  parseResultsIndex,
  ResultsError,
  type ResultsFile,
  type TableName,
} from '../../results/results-file.ts'

type ResultsState = 'loading' | 'ready' | 'failed'

export class PublishedResults {
  #state = $state.raw<ResultsState>('loading')
  #problem = $state.raw<string | null>(null)
  #files = $state.raw<readonly ResultsFile[]>([])

  get state(): ResultsState {
    return this.#state
  }
  /** Why loading failed. */
  get problem(): string | null {
    return this.#problem
  }
  /** Null for a table without published results. */
  table(name: TableName): ResultsFile | null {
    return this.#files.find(({ table }) => table === name) ?? null
  }

  /** Fetches all tables, or those of the given names that are published. */
  async load(wanted?: readonly TableName[]): Promise<void> {
    this.#state = 'loading'
    this.#problem = null
    try {
      const names = parseResultsIndex(await fetchJson('./results/index.json'))
      const chosen = names.filter((name) => wanted === undefined || wanted.includes(name))
      const files = chosen.map(async (name) => parseResults(await fetchJson(`./results/${name}.json`)))
      this.#files = await Promise.all(files)
      this.#state = 'ready'
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
      this.#state = 'failed'
    }
  }
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
