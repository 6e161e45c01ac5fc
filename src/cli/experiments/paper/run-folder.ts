/**
 * The folder of the paper's runs:
 *
 *     <key>.json               the record of a finished run; it exists once everything else of the run does
 *     <key>.jsonl.gz           its log
 *     <key>/                   a run that is not finished: its log, and its last checkpoint
 *     lock                     the process that works here
 */
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { writeWhole } from '../../../runs/write-whole.ts'
import { recordSchema, type RunRecord } from './run-record.ts'

/** Another command works in the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
}

export class RunFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  recordPath(key: string): string {
    return join(this.path, `${key}.json`)
  }
  logPath(key: string): string {
    return join(this.path, `${key}.jsonl.gz`)
  }
  unfinishedPath(key: string): string {
    return join(this.path, key)
  }

  /** Null for a run that has not finished. Throws Error for a record that cannot be read. */
  async record(key: string): Promise<RunRecord | null> {
    const text = await readFile(this.recordPath(key), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) return null
    try {
      return v.parse(recordSchema, JSON.parse(text))
    } catch (cause) {
      throw new Error(`${this.recordPath(key)} is not a record of a run. Remove it, and the run starts again.`, {
        cause,
      })
    }
  }

  /** Writes a record, all at once, and removes what only an unfinished run needs. */
  async finish(record: RunRecord): Promise<void> {
    await writeWhole(this.recordPath(record.key), `${JSON.stringify(record)}\n`)
    await rm(this.unfinishedPath(record.key), { recursive: true, force: true })
  }

  /** Keeps other commands out until the result is called. Throws FolderInUseError. */
  async lock(): Promise<() => Promise<void>> {
    await mkdir(this.path, { recursive: true })
    const path = join(this.path, 'lock')
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const file = await open(path, 'wx')
        await file.writeFile(String(process.pid))
        await file.close()
        return () => rm(path, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        const holder = Number(await readFile(path, 'utf8').catch(() => ''))
        if (isAlive(holder)) {
          throw new FolderInUseError(
            `Process ${holder} already works in ${this.path}. Wait for it, end it, or choose another folder with --out.`,
          )
        }
        // Its process was killed.
        await rm(path, { force: true })
      }
    }
    throw new FolderInUseError(`Another command has just started in ${this.path}. Choose another folder with --out.`)
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user exists, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
