/** What run.mjs asks of the page, in the page's address. */

export interface GpuRequest {
  totalMs: number
  /** Whether to measure the smallest sizes. */
  isTiny: boolean
}

/** Where the page posts its messages. */
export const RECORDS = '/records'

export const pageQuery = ({ totalMs, isTiny }: GpuRequest) => `?ms=${totalMs}${isTiny ? '&tiny' : ''}`

export function pageRequest(query: string): GpuRequest {
  const parameters = new URLSearchParams(query)
  return { totalMs: Number(parameters.get('ms')), isTiny: parameters.has('tiny') }
}
