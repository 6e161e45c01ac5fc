/**
 * Keeps a run that is not finished, so that it can continue after a kill: its log, and the models of one iteration.
 *
 *     log.jsonl            without tokens, log-probabilities and entropies, which are most of a log and are not read here
 *     <iteration>.policy, <iteration>.reward
 *     checkpoint.json      which of them count, how many events of the log belong to them, and which code made them
 */
import { createReadStream } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as v from 'valibot'
import type { LoggedEvent } from '../../../method/events.ts'
import { eventParts } from '../../../runs/event-parts.ts'
import { eventLine, headerLine, RunLogError } from '../../../runs/run-log.ts'
import type { RunCheckpoint, RunStore } from '../../../runs/run-store.ts'
import { stateEvent } from '../../../runs/state-event.ts'
import { textLines } from '../../../runs/text-lines.ts'
import { withoutTokens } from '../../../runs/without-tokens.ts'
import { writeWhole } from '../../../runs/write-whole.ts'
import { UNKNOWN_COMMIT } from './provenance.ts'

const checkpointSchema = v.strictObject({
  runId: v.string(),
  iteration: v.number(),
  eventCount: v.number(),
  seconds: v.number(),
  /** Earlier checkpoints do not have it. */
  commits: v.optional(v.array(v.string()), [UNKNOWN_COMMIT]),
})

export interface Continued {
  checkpoint: RunCheckpoint
  /** Reduced to what the loop reads (state-event.ts). */
  history: LoggedEvent[]
  /** Wall-clock time until the checkpoint. */
  seconds: number
}

export class UnfinishedRun implements RunStore {
  readonly #folder: string
  /** Seconds since the run began, its earlier parts included. */
  readonly #seconds: () => number
  #commits: readonly string[]

  /** `commit` is that of the code that continues it. */
  constructor(folder: string, seconds: () => number, commit: string) {
    this.#folder = folder
    this.#seconds = seconds
    this.#commits = [commit]
  }

  /** Those that made a part of the run. */
  get commits(): string[] {
    return [...this.#commits]
  }

  get logPath(): string {
    return join(this.#folder, 'log.jsonl')
  }

  async create(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    await mkdir(this.#folder, { recursive: true })
    await writeFile(this.logPath, headerLine())
  }

  async append(_runId: string, events: readonly LoggedEvent[]): Promise<void> {
    const lines = events.map((event) =>
      eventLine(event.type === 'episode' ? { ...event, steps: withoutTokens(event.steps) } : event),
    )
    await appendFile(this.logPath, lines.join(''))
  }

  async saveCheckpoint({ policy, reward, ...place }: RunCheckpoint): Promise<void> {
    const name = String(place.iteration)
    await writeFile(join(this.#folder, `${name}.policy`), policy)
    await writeFile(join(this.#folder, `${name}.reward`), reward)
    const checkpoint = { ...place, seconds: this.#seconds(), commits: this.#commits }
    await writeWhole(join(this.#folder, 'checkpoint.json'), JSON.stringify(checkpoint))
    for (const file of await readdir(this.#folder)) {
      if (/^\d+\.(policy|reward)$/.test(file) && !file.startsWith(`${name}.`)) await rm(join(this.#folder, file))
    }
  }

  async finish(): Promise<void> {}

  /** Truncates the log to the last checkpoint. Null if there is none, or it is damaged: then the run starts again. */
  async resume(): Promise<Continued | null> {
    try {
      const text = await readFile(join(this.#folder, 'checkpoint.json'), 'utf8')
      const { seconds, commits, ...place } = v.parse(checkpointSchema, JSON.parse(text))
      const [policy, reward] = await Promise.all(
        ['policy', 'reward'].map((role) => readFile(join(this.#folder, `${place.iteration}.${role}`))),
      )
      const history = await this.#truncate(place.eventCount)
      if (history === null) return null
      this.#commits = [...new Set([...commits, ...this.#commits])]
      return { checkpoint: { ...place, policy: policy!, reward: reward! }, history, seconds }
    } catch (error) {
      const isDamaged = v.isValiError(error) || error instanceof SyntaxError || error instanceof RunLogError
      if (isDamaged || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  async #truncate(eventCount: number): Promise<LoggedEvent[] | null> {
    const history: LoggedEvent[] = []
    const part = `${this.logPath}.part`
    await writeFile(part, headerLine())
    for await (const events of readLog(this.logPath)) {
      const kept = events.slice(0, eventCount - history.length)
      history.push(...kept.map(stateEvent))
      await appendFile(part, kept.map(eventLine).join(''))
      if (history.length === eventCount) break
    }
    if (history.length < eventCount) return null
    await rename(part, this.logPath)
    return history
  }
}

/** The events of a log, packed if its name ends with .gz, in parts; the end of a log that was cut by a kill is left out. */
export function readLog(path: string): AsyncGenerator<LoggedEvent[], void> {
  const bytes = Readable.toWeb(createReadStream(path)) as ReadableStream<BufferSource>
  const text = path.endsWith('.gz') ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes
  return eventParts(textLines(text), () => null)
}
