/**
 * A model below a URL. An interrupted download continues with a range request; if the server sends the file from its beginning
 * again, the bytes already received are skipped. A busy server is asked again.
 */
import {
  ForbiddenFileError,
  isPage,
  isPassing,
  ModelFileError,
  type ModelReader,
  piecesOf,
  refusalText,
} from './model-reader.ts'
import { joinArrays } from '../../method/join-arrays.ts'

/** Failures in a row, without a byte between them, after which a download fails. */
const MOST_FAILURES = 5
const FIRST_PAUSE_MS = 500

/** Waits `firstPauseMs` after a failure, and twice as long after each further one in a row. */
export function urlReader(url: string, fetchFile: typeof fetch = fetch, firstPauseMs = FIRST_PAUSE_MS): ModelReader {
  const base = url.endsWith('/') ? url : url + '/'
  return {
    name: base.split('/').at(-2) ?? url,
    async read(file) {
      const pieces: Uint8Array[] = []
      for await (const piece of download(base + file, fetchFile, firstPauseMs)) pieces.push(piece)
      return joinArrays(Uint8Array, pieces)
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
    let status: number | null = null
    try {
      // No If-Range: it would cause a preflight request, which content
      // delivery networks deny; instead, the code below checks that the file is still the same.
      const response =
        received === 0
          ? await fetchFile(address)
          : await fetchFile(address, { headers: { Range: `bytes=${received}-` } })
      status = response.status
      if (isPassing(status)) throw new Error(`The server answered ${status}.`)
      if (!response.ok) throw refusal(address, status)
      const version = response.headers.get('etag')
      if (opened?.version && version && opened.version !== version) throw changed(address)
      opened ??= { total: lengthOf(response), version }

      let known = received
      if (status === 206) {
        const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? `bytes ${received}-`)?.[1]
        if (Number(start) !== received) throw changed(address)
        known = 0
      }
      for await (const piece of response.body ? piecesOf(response.body) : []) {
        const news = piece.subarray(Math.min(known, piece.length))
        known -= piece.length - news.length
        if (news.length === 0) continue
        if (received === 0 && isPage(news)) throw pageInstead(address)
        received += news.length
        failures = 0
        yield news
      }
      if (opened.total === null || received >= opened.total) return
      throw new Error(`The connection was closed after ${received} of ${opened.total} bytes.`)
    } catch (cause) {
      if (cause instanceof ModelFileError) throw cause
      const isBusy = status !== null && isPassing(status)
      if (!opened && !isBusy)
        throw new ModelFileError(`${address} could not be reached. Check the connection and load the model again.`, {
          cause,
        })
      if (++failures >= MOST_FAILURES) {
        const total = opened?.total ?? null
        const stopped = `${address} stopped after ${inMegabytes(received)}${total === null ? '' : ` of ${inMegabytes(total)}`}, and ${failures} attempts to continue failed. Check the connection and load the model again.`
        throw new ModelFileError(isBusy ? refusalText(address, status!) : stopped, { cause })
      }
      await pause(firstPauseMs * 2 ** (failures - 1))
    }
  }
}

function refusal(address: string, status: number): ModelFileError {
  if (status === 401 || status === 403)
    return new ForbiddenFileError(
      `${address} answered ${status}. The model may require an agreement or a login: download it and load it from files.`,
    )
  return new ModelFileError(refusalText(address, status), { isMissing: status === 404 || status === 410 })
}

function pageInstead(address: string): ModelFileError {
  return new ModelFileError(`${address} is a web page, not a file of a model. Check the address of the model.`, {
    isMissing: true,
  })
}

function changed(address: string): ModelFileError {
  return new ModelFileError(`${address} changed during the download. Load the model again.`)
}

/** Bytes of the body as they arrive; null if the server does not say, or says the compressed length. */
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
