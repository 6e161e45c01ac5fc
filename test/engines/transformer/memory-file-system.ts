/** The browser's private file system, in memory. */
import type { FileSystemRoot } from '../../../src/engines/transformer/local-folders.ts'

class NotFound extends Error {
  override name = 'NotFoundError'
}

/** A directory in memory with the used part of the browser's interface. */
class MemoryDirectory {
  readonly kind = 'directory'
  readonly entries = new Map<string, MemoryDirectory | MemoryFile>()
  readonly name: string
  /** Remaining space in bytes, over all directories. */
  readonly room: { bytes: number }

  constructor(name: string, room: { bytes: number }) {
    this.name = name
    this.room = room
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<MemoryDirectory> {
    const found = this.entries.get(name)
    if (found instanceof MemoryDirectory) return found
    if (!create) throw new NotFound(name)
    const directory = new MemoryDirectory(name, this.room)
    this.entries.set(name, directory)
    return directory
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<MemoryFile> {
    const found = this.entries.get(name)
    if (found instanceof MemoryFile) return found
    if (!create) throw new DOMException(name, 'NotFoundError')
    const file = new MemoryFile(name, this.room)
    this.entries.set(name, file)
    return file
  }

  async removeEntry(name: string): Promise<void> {
    if (!this.entries.delete(name)) throw new NotFound(name)
  }

  async *values(): AsyncGenerator<MemoryDirectory | MemoryFile> {
    yield* this.entries.values()
  }
}

class MemoryFile {
  readonly kind = 'file'
  readonly name: string
  readonly room: { bytes: number }
  #parts: Uint8Array<ArrayBuffer>[] = []

  constructor(name: string, room: { bytes: number }) {
    this.name = name
    this.room = room
  }

  async getFile(): Promise<File> {
    return new File(this.#parts, this.name)
  }

  async createWritable(): Promise<WritableStream<Uint8Array<ArrayBuffer>>> {
    return new WritableStream({
      write: (part) => {
        this.room.bytes -= part.length
        if (this.room.bytes < 0) throw new DOMException('no room', 'QuotaExceededError')
        this.#parts.push(part)
      },
    })
  }
}

/** With so many bytes of space. */
export function fileSystem(bytes = Infinity): FileSystemRoot {
  const root = new MemoryDirectory('', { bytes })
  return { getDirectory: () => Promise.resolve(root as unknown as FileSystemDirectoryHandle) }
}
