/** Keeps runs as files, for the command line: the log as `run.jsonl`, timings in `run.timings.jsonl` beside it. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { LoggedEvent, TimingsMeasured } from '../method/events.ts'
import { eventLine, headerLine, parseRunLog } from './run-log.ts'
import type { RunCheckpoint, RunStore } from './run-store.ts'

/** `a/run.jsonl` -> `a/run.timings.jsonl` */
export function timingsPath(logPath: string): string {
  return logPath.endsWith('.jsonl') ? logPath.replace(/\.jsonl$/, '.timings.jsonl') : `${logPath}.timings.jsonl`
}

export interface FileStorePaths {
  /** If absent, no log is written. */
  log?: string
  /** Folder for `policy.safetensors` and `reward.safetensors`. */
  checkpoints?: string
}

export class FileRunStore implements RunStore {
  readonly #paths: FileStorePaths

  constructor(paths: FileStorePaths) {
    this.#paths = paths
  }

  async create(): Promise<void> {
    const { log, checkpoints } = this.#paths
    if (log !== undefined) {
      await mkdir(dirname(log), { recursive: true })
      await writeFile(log, headerLine())
      await writeFile(timingsPath(log), '')
    }
    if (checkpoints !== undefined) await mkdir(checkpoints, { recursive: true })
  }

  async append(_runId: string, events: readonly LoggedEvent[]): Promise<void> {
    if (this.#paths.log !== undefined) await appendFile(this.#paths.log, events.map(eventLine).join(''))
  }

  async appendTimings(iteration: number, timings: TimingsMeasured): Promise<void> {
    if (this.#paths.log === undefined) return
    await appendFile(timingsPath(this.#paths.log), `${JSON.stringify({ iteration, ...timings.metrics })}\n`)
  }

  async saveCheckpoint({ policy, reward }: RunCheckpoint): Promise<void> {
    const folder = this.#paths.checkpoints
    if (folder === undefined) return
    await writeFile(join(folder, 'policy.safetensors'), policy)
    await writeFile(join(folder, 'reward.safetensors'), reward)
  }

  async finish(): Promise<void> {}
}

/** Reads a log, packed with gzip or not. */
export async function readRunLog(path: string): Promise<LoggedEvent[]> {
  const bytes = await readFile(path)
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return parseRunLog((isPacked ? gunzipSync(bytes) : bytes).toString('utf8'))
}
