/**
 * The delay before a request is retried. Exponential with full jitter, so that requests refused together are not retried
 * together:
 *
 *     delay_k = U(0, 1) · min(cap, base · 2^k)         k = 0, 1, 2, ...
 *
 * If the server sends Retry-After, the delay is at least that long, plus jitter.
 */
export interface Backoff {
  baseMs: number
  capMs: number
}

export const BACKOFF: Backoff = { baseMs: 500, capMs: 15_000 }

/** The longest Retry-After that is respected. */
const LONGEST_RETRY_AFTER_MS = 60_000

export function backoffMs(attempt: number, { baseMs, capMs }: Backoff, uniform: number): number {
  return uniform * Math.min(capMs, baseMs * 2 ** attempt)
}

/** The header's value: seconds or a date; 0 if unreadable. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null || header.trim() === '') return 0
  const seconds = Number(header)
  const wanted = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now
  return Number.isFinite(wanted) ? Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, wanted)) : 0
}

/** Rejects with the signal's reason on abort. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
