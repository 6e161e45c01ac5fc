/**
 * Keeps a run as files, for the command line: the log as `run.jsonl`, timings in `run.timings.jsonl` beside it, and the last
 * checkpoint in a folder (checkpoint-folder.ts).
 */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { LoggedEvent, RunStarted, TimingsMeasured } from '../method/events.ts'
import type { LearningRole } from '../roles/learning.ts'
import type { RoleModel } from '../roles/role-model.ts'
import {
  readCheckpointFolder,
  writeCheckpointFolder,
  type RunInputs,
  type StoredCheckpoint,
} from './checkpoint-folder.ts'
import { eventLine, headerLine, parseRunLog } from './run-log.ts'
import type { RunCheckpoint, RunStore } from './run-store.ts'
import { writeWhole } from './write-whole.ts'

/** `a/run.jsonl` -> `a/run.timings.jsonl` */
export function timingsPath(logPath: string): string {
  return logPath.endsWith('.jsonl') ? logPath.replace(/\.jsonl$/, '.timings.jsonl') : `${logPath}.timings.jsonl`
}

export interface FileStorePaths {
  /** If absent, no log is written. */
  log?: string
  /** Where the checkpoint goes, the models that are asked for their folders, and what the run was given. */
  checkpoints?: {
    folder: string
    models: Readonly<Record<LearningRole, Pick<RoleModel, 'saveFolder'>>>
    inputs: RunInputs
  }
}

/** The log is not there, or does not reach its checkpoint. */
export class UnfinishedLogError extends Error {
  override readonly name = 'UnfinishedLogError'
}

export class FileRunStore implements RunStore {
  readonly #paths: FileStorePaths

  constructor(paths: FileStorePaths) {
    this.#paths = paths
  }

  async create(): Promise<void> {
    const { log } = this.#paths
    if (log === undefined) return
    await mkdir(dirname(log), { recursive: true })
    await writeFile(log, headerLine())
    await writeFile(timingsPath(log), '')
  }

  async append(_runId: string, events: readonly LoggedEvent[]): Promise<void> {
    if (this.#paths.log !== undefined) await appendFile(this.#paths.log, events.map(eventLine).join(''))
  }

  async appendTimings(iteration: number, timings: TimingsMeasured): Promise<void> {
    if (this.#paths.log === undefined) return
    await appendFile(timingsPath(this.#paths.log), `${JSON.stringify({ iteration, ...timings.metrics })}\n`)
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    if (this.#paths.checkpoints === undefined) return
    const { folder, models, inputs } = this.#paths.checkpoints
    const folderOf = async (role: LearningRole) => (await models[role].saveFolder?.()) ?? null
    const [policy, reward] = await Promise.all([folderOf('policy'), folderOf('reward')])
    await writeCheckpointFolder(folder, checkpoint, { policy, reward }, inputs)
  }

  async finish(): Promise<void> {}
}

/** Reads a log, packed with gzip or not. */
export async function readRunLog(path: string): Promise<LoggedEvent[]> {
  const bytes = await readFile(path)
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return parseRunLog((isPacked ? gunzipSync(bytes) : bytes).toString('utf8'))
}

/**
 * The last checkpoint in `folder` with its part of the log. Null without a checkpoint. Throws CheckpointFolderError,
 * SafetensorsError, RunLogError and UnfinishedLogError.
 */
export async function readResumable(
  log: string,
  folder: string,
): Promise<{ checkpoint: StoredCheckpoint; history: LoggedEvent[]; started: LoggedEvent & RunStarted } | null> {
  const checkpoint = await readCheckpointFolder(folder)
  if (checkpoint === null) return null
  const { eventCount, runId } = checkpoint
  const text = await textOf(log)
  const history = text === '' ? [] : parseRunLog(text, { isTornEndAllowed: true }).slice(0, eventCount)
  const started = history[0]
  if (history.length === eventCount && started?.type === 'run-started' && started.runId === runId)
    return { checkpoint, history, started }
  throw new UnfinishedLogError(
    `${log} ${text === '' ? 'does not exist or is empty, so it is not' : 'is not'} the log of the checkpoint in ${folder}, which is of run ${runId} after ${eventCount} events. Name the log that was written with it, or start a new run.`,
  )
}

/** Cuts log and timings back to a checkpoint, whose part of the log is `history`. */
export async function cutLog(log: string, history: readonly LoggedEvent[], iteration: number): Promise<void> {
  await writeWhole(log, headerLine() + history.map(eventLine).join(''))
  const timings = (await textOf(timingsPath(log))).split('\n').slice(0, -1)
  const kept = timings.filter((line) => (JSON.parse(line) as { iteration: number }).iteration <= iteration)
  await writeWhole(timingsPath(log), kept.map((line) => `${line}\n`).join(''))
}

/** Empty if there is no such file. */
async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}
