/** Answers all requests at once. The first failure aborts the others, whose answers would be discarded. */
export async function allOrNone<Request, Answer>(
  signal: AbortSignal | undefined,
  requests: readonly Request[],
  answer: (request: Request, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer[]> {
  const failed = new AbortController()
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  try {
    return await Promise.all(requests.map((request) => answer(request, either)))
  } catch (error) {
    failed.abort(error)
    throw error
  }
}
