/** Where the files of a model folder come from: an address, a disk, picked files, memory. */
export interface ModelReader {
  /** The model's name in errors. */
  name: string
  /** Reads a whole, small file. Throws a ModelFileError if it does not exist. */
  read(file: string): Promise<Uint8Array>
  /**
   * Reads a file in pieces of any size, so that weights need not be in memory twice. Throws a ModelFileError before the first
   * piece if the file does not exist.
   */
  stream(file: string): AsyncIterable<Uint8Array>
}

export class ModelFileError extends Error {
  override name = 'ModelFileError'
  /** Whether the file does not exist, as opposed to one that could not be read. */
  readonly isMissing: boolean

  constructor(message: string, options: ErrorOptions & { isMissing?: boolean } = {}) {
    super(message, options)
    this.isMissing = options.isMissing ?? false
  }
}

/** The server demands a right, or hides whether the file exists: object storage does so for who may not list it. */
export class ForbiddenFileError extends ModelFileError {}

/** Whether a file does not exist, or may not, in a folder of which another file was read. */
export function mayBeMissing(error: unknown): error is ModelFileError {
  return error instanceof ForbiddenFileError || (error instanceof ModelFileError && error.isMissing)
}

/** Whether a status is of a busy or restarting server, so that a retry may help. */
export function isPassing(status: number): boolean {
  return status === 429 || status >= 500
}

/** The message for a status that is an error. */
export function refusalText(address: string, status: number): string {
  const advice = isPassing(status)
    ? 'The server is busy or has an error. Wait a minute and load the model again.'
    : 'Check the address of the model.'
  return `${address} answered ${status}. ${advice}`
}

/** Whether a file begins like a web page: servers of single-page applications send theirs instead of a missing file. */
export function isPage(bytes: Uint8Array): boolean {
  return /^\s*<!doctype html/i.test(new TextDecoder().decode(bytes.subarray(0, 64)))
}

/**
 * A small file that not every folder has; null if it may be missing. For folders of which another file was read. Throws ModelFileError
 * if it cannot be read.
 */
export async function readOptional(reader: ModelReader, file: string): Promise<Uint8Array | null> {
  try {
    const bytes = await reader.read(file)
    return isPage(bytes) ? null : bytes
  } catch (error) {
    if (mayBeMissing(error)) return null
    throw error
  }
}

/** A small JSON file. Throws ModelFileError. */
export async function readJson(reader: ModelReader, file: string): Promise<unknown> {
  return parsedJson(reader, file, await reader.read(file))
}

/** One that not every folder has; null if it is missing. Throws ModelFileError. */
export async function readOptionalJson(reader: ModelReader, file: string): Promise<unknown> {
  const bytes = await readOptional(reader, file)
  return bytes && parsedJson(reader, file, bytes)
}

function parsedJson(reader: ModelReader, file: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new ModelFileError(
      `${file} of "${reader.name}" is not JSON. Load the model again; if that does not help, replace the file with the one from the model's own repository.`,
      { cause },
    )
  }
}

/** A model whose files are in memory. */
export function memoryReader(name: string, files: Readonly<Record<string, Uint8Array>>): ModelReader {
  const find = (file: string): Uint8Array => files[file] ?? missing(name, file)
  return {
    name,
    async read(file) {
      return find(file)
    },
    async *stream(file) {
      yield find(file)
    },
  }
}

/** A model in a folder that the user gave the page access to. */
export function directoryReader(directory: FileSystemDirectoryHandle): ModelReader {
  return blobReader(directory.name, async (file) => {
    try {
      return await (await directory.getFileHandle(file)).getFile()
    } catch (cause) {
      if (cause instanceof DOMException && cause.name === 'NotFoundError') return undefined
      throw unreadable(directory.name, file, cause)
    }
  })
}

/** A model whose files are blobs; `find` returns undefined for a missing one. */
export function blobReader(name: string, find: (file: string) => Promise<Blob | undefined>): ModelReader {
  const open = async (file: string): Promise<Blob> => (await find(file)) ?? missing(name, file)
  return {
    name,
    async read(file) {
      const blob = await open(file)
      try {
        return new Uint8Array(await blob.arrayBuffer())
      } catch (cause) {
        throw unreadable(name, file, cause)
      }
    },
    async *stream(file) {
      const blob = await open(file)
      try {
        yield* piecesOf(blob.stream())
      } catch (cause) {
        throw unreadable(name, file, cause)
      }
    },
  }
}

/** Iterates over a stream, which not every browser can, and cancels it if the caller stops early. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
  } finally {
    // Ignored: the stream has already ended or failed.
    await reader.cancel().catch(() => undefined)
  }
}

/** The same stream, which reports the bytes of each piece. */
export function countedBytes(
  stream: ReadableStream<Uint8Array>,
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      onBytes(piece.byteLength)
      controller.enqueue(piece)
    },
  })
  return stream.pipeThrough(counter)
}

function missing(name: string, file: string): never {
  throw new ModelFileError(`Model "${name}" has no ${file}. Add the file to the model's folder.`, { isMissing: true })
}

function unreadable(name: string, file: string, cause: unknown): ModelFileError {
  return new ModelFileError(
    `${file} of "${name}" cannot be read: the file was moved or changed, or access was withdrawn. Choose the model's files again.`,
    { cause },
  )
}
