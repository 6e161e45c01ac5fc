/** Where the files of a model folder come from: an address, a disk, files that somebody picked, memory. */
export interface ModelReader {
  /** Of the model, for errors. */
  name: string
  /** A whole file, for the small ones. Throws a ModelFileError if it is not there. */
  read(file: string): Promise<Uint8Array>
  /**
   * A file from beginning to end in pieces of any size, so that weights need not be in memory twice. Throws a ModelFileError before
   * the first piece if the file is not there.
   */
  stream(file: string): AsyncIterable<Uint8Array>
}

export class ModelFileError extends Error {
  override name = 'ModelFileError'
  /** Whether there is no such file, as opposed to one that could not be read. */
  readonly isMissing: boolean

  constructor(message: string, options: ErrorOptions & { isMissing?: boolean } = {}) {
    super(message, options)
    this.isMissing = options.isMissing ?? false
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

/** A model of files that somebody dropped or picked, folders among their names left out. */
export function filesReader(name: string, files: Iterable<File>): ModelReader {
  const byName = new Map(Array.from(files, (file) => [file.name, file]))
  return blobReader(name, async (file) => byName.get(file))
}

/** A model in a folder that somebody gave the page access to. */
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

/** A model whose files are blobs; `find` gives undefined for one that there is not. */
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

/** A stream's pieces, one after the other; it is cancelled if the caller stops early. Not every browser iterates over streams itself. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
  } finally {
    // Nothing to do for one that has ended or failed already.
    await reader.cancel().catch(() => undefined)
  }
}

function missing(name: string, file: string): never {
  throw new ModelFileError(`Model "${name}" has no ${file}. Add the file to the model's folder.`, { isMissing: true })
}

function unreadable(name: string, file: string, cause: unknown): ModelFileError {
  return new ModelFileError(
    `${file} of "${name}" cannot be read: it was moved or changed since it was chosen, or access was withdrawn. Choose the model's files again.`,
    { cause },
  )
}
