/**
 * A model below a URL. A download that is cut goes on where it was, by a range request; where the server sends the file from its
 * beginning again, what is known already is passed over.
 */
import { ModelFileError, type ModelReader, piecesOf } from './model-reader.ts'

/** Failures in a row, without a byte between them, after which a download is given up. */
const MOST_FAILURES = 5
const FIRST_PAUSE_MS = 500

/** `firstPauseMs` is waited after a cut, and twice as long after each further one in a row. */
export function urlReader(url: string, fetchFile: typeof fetch = fetch, firstPauseMs = FIRST_PAUSE_MS): ModelReader {
  const base = url.endsWith('/') ? url : url + '/'
  return {
    name: base.split('/').at(-2) ?? url,
    async read(file) {
      const pieces: Uint8Array[] = []
      for await (const piece of download(base + file, fetchFile, firstPauseMs)) pieces.push(piece)
      return concatenated(pieces)
    },
    stream: (file) => download(base + file, fetchFile, firstPauseMs),
  }
}

async function* download(
  address: string,
  fetchFile: typeof fetch,
  firstPauseMs: number,
): AsyncGenerator<Uint8Array, void> {
  let received = 0
  let failures = 0
  let opened: { total: number | null; version: string | null } | null = null
  for (;;) {
    try {
      // Only the first is asked for as a whole. No If-Range: it would make the browser ask the server's leave first, which content
      // delivery networks deny; that the file is still the same is checked below instead.
      const response =
        received === 0
          ? await fetchFile(address)
          : await fetchFile(address, { headers: { Range: `bytes=${received}-` } })
      if (isPassing(response.status) && opened) throw new Error(`The server answered ${response.status}.`)
      if (!response.ok) throw refusal(address, response.status)
      const version = response.headers.get('etag')
      if (opened?.version && version && opened.version !== version) throw changed(address)
      opened ??= { total: lengthOf(response), version }

      let known = received
      if (response.status === 206) {
        const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? `bytes ${received}-`)?.[1]
        if (Number(start) !== received) throw changed(address)
        known = 0
      }
      for await (const piece of response.body ? piecesOf(response.body) : []) {
        const news = piece.subarray(Math.min(known, piece.length))
        known -= piece.length - news.length
        if (news.length === 0) continue
        received += news.length
        failures = 0
        yield news
      }
      if (opened.total === null || received >= opened.total) return
      throw new Error(`The connection was closed after ${received} of ${opened.total} bytes.`)
    } catch (cause) {
      if (cause instanceof ModelFileError) throw cause
      if (!opened)
        throw new ModelFileError(`${address} could not be reached. Check the connection and load the model again.`, {
          cause,
        })
      if (++failures >= MOST_FAILURES)
        throw new ModelFileError(
          `${address} was cut after ${inMegabytes(received)}${opened.total === null ? '' : ` of ${inMegabytes(opened.total)}`}, and ${failures} tries to go on failed. Check the connection and load the model again.`,
          { cause },
        )
      await pause(firstPauseMs * 2 ** (failures - 1))
    }
  }
}

/** Answers of a server that is busy or being restarted, after which it is worth asking again. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500
}

function refusal(address: string, status: number): ModelFileError {
  const advice =
    status === 401 || status === 403
      ? 'The model may ask for an agreement or a login first: download it and load it from files.'
      : 'Check the address of the model.'
  return new ModelFileError(`${address} answered ${status}. ${advice}`, { isMissing: status === 404 || status === 410 })
}

function changed(address: string): ModelFileError {
  return new ModelFileError(`${address} was changed while it was being downloaded. Load the model again.`)
}

/** Bytes of the body as they arrive; null where the server does not say, or says it of the compressed ones. */
function lengthOf(response: Response): number | null {
  const length = response.headers.get('content-length')
  return length === null || response.headers.has('content-encoding') ? null : Number(length)
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
