import { describe, expect, it } from 'vitest'
import {
  keepLocalFolder,
  localFolderReader,
  localFolders,
  removeLocalFolder,
  type FileSystemRoot,
} from '../../../src/engines/transformer/local-folders.ts'

class NotFound extends Error {
  override name = 'NotFoundError'
}

/** A directory in memory, with what is used of the browser's. */
class MemoryDirectory {
  readonly kind = 'directory'
  readonly entries = new Map<string, MemoryDirectory | MemoryFile>()
  readonly name: string
  /** Bytes that may still be written, over all directories. */
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

function fileSystem(bytes = Infinity): FileSystemRoot {
  const root = new MemoryDirectory('', { bytes })
  return { getDirectory: () => Promise.resolve(root as unknown as FileSystemDirectoryHandle) }
}

const FILES = {
  'config.json': '{}',
  'tokenizer.json': '{"a":1}',
  'model.safetensors': 'weights',
  'pytorch_model.bin': 'x',
}
const filesOf = (contents: Record<string, string>) =>
  Object.entries(contents).map(([name, text]) => new File([text], name))

describe('a folder that somebody gave the page', () => {
  it('is there again under its name, with what is read of it and nothing else', async () => {
    const root = fileSystem()
    const told: number[][] = []
    const kept = await keepLocalFolder('my model/1', filesOf(FILES), (...numbers) => told.push(numbers), root)
    expect(kept).toEqual({ name: 'my model/1', bytes: 16 })
    expect(told.at(-1)).toEqual([16, 16])
    expect(await localFolders(root)).toEqual([kept])
    const reader = await localFolderReader('my model/1', root)
    expect(reader.name).toBe('my model/1')
    expect(new TextDecoder().decode(await reader.read('model.safetensors'))).toBe('weights')
    await expect(reader.read('pytorch_model.bin')).rejects.toMatchObject({ isMissing: true })
  })

  it('takes the place of one of the same name, and goes when it is removed', async () => {
    const root = fileSystem()
    await keepLocalFolder('m', filesOf({ ...FILES, 'chat_template.jinja': '{{ x }}' }), undefined, root)
    await keepLocalFolder('m', filesOf(FILES), undefined, root)
    await expect((await localFolderReader('m', root)).read('chat_template.jinja')).rejects.toThrow()
    await removeLocalFolder('m', root)
    await removeLocalFolder('m', root)
    expect(await localFolders(root)).toEqual([])
    await expect(localFolderReader('m', root)).rejects.toThrow(/There is no folder "m" in this browser any more/)
  })

  it('is refused with what it lacks, before anything is copied', async () => {
    const root = fileSystem()
    await expect(keepLocalFolder('m', filesOf({ 'config.json': '{}' }), undefined, root)).rejects.toThrow(
      /lacks tokenizer\.json, model\.safetensors/,
    )
    expect(await localFolders(root)).toEqual([])
  })

  it('leaves nothing half copied where there is no room', async () => {
    const root = fileSystem(10)
    await expect(keepLocalFolder('m', filesOf(FILES), undefined, root)).rejects.toThrow(
      /could not be copied \(no room\)/,
    )
    expect(await localFolders(root)).toEqual([])
  })
})
