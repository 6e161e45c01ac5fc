/**
 * Reads what a run leaves on the cluster and tells it as events. One look (`look`) takes the log first and the other files after it,
 * and goes through the files before the log: whatever a line of the log was printed after is then known when the line is read.
 *
 * Everything that a look has read goes to the journal in one piece, with where the next look goes on.
 */
import { join } from 'node:path'
import type { EphemeralEvent, LoggedEvent } from '../../method/events.ts'
import type { LogLines } from '../protocol.ts'
import { markOf, plainLine } from '../released/job-log.ts'
import { parseResultsLine, type ResultsLine } from '../released/results.ts'
import { RunTranslator, type LiveChange, type RunIdentity, type TranslatorMemory } from '../released/translator.ts'
import { TornJsonError } from './json-items.ts'
import { Journal } from './journal.ts'
import type { Redactor } from './redactor.ts'
import {
  countEvaluation,
  OtherDumpError,
  readProposals,
  readStep,
  resultsFiles,
  type DumpSource,
} from './step-dumps.ts'
import { AT_START, cursorAt, readTail, type TailCursor } from './tail.ts'

interface WatchCursor {
  log: TailCursor
  /** By file name. */
  results: Record<string, TailCursor>
  memory: TranslatorMemory
}

export interface WatchListener {
  /** There are new events in the journal. */
  onEvents: () => void
  onNow: (event: EphemeralEvent) => void
  onLog: (lines: LogLines) => void
  onNotice: (notice: string) => void
}

interface FoundLine {
  path: string
  line: ResultsLine
  isEvaluation: boolean
  /** Where the next line begins. */
  end: number
}

/** Looks that a torn dump is waited for. */
const MOST_TORN = 10
const LINES_AT_ONCE = 2000

export class RunWatch {
  readonly translator: RunTranslator
  readonly #journal: Journal<WatchCursor>
  readonly #source: DumpSource
  readonly #redactor: Redactor
  readonly #listener: WatchListener
  readonly #logFile: string
  #cursor: WatchCursor
  #saved: string
  #torn = 0
  #busy: Promise<unknown> = Promise.resolve()

  constructor(options: {
    folder: string
    source: DumpSource
    identity: RunIdentity
    redactor: Redactor
    listener: WatchListener
  }) {
    this.#source = options.source
    this.#redactor = options.redactor
    this.#listener = options.listener
    this.#logFile = join(options.folder, 'job.log')
    this.translator = new RunTranslator(options.identity)
    this.#journal = Journal.open(join(options.folder, 'journal.jsonl'), (event) => this.translator.apply(event))
    this.#cursor = this.#journal.cursor ?? { log: AT_START, results: {}, memory: this.translator.memory }
    this.translator.memory = this.#cursor.memory
    this.#saved = JSON.stringify(this.#journal.cursor)
    this.translator.begin()
    this.#commit()
  }

  get length(): number {
    return this.#journal.length
  }

  /** JSON of an event that has been told. */
  line(seq: number): string {
    return this.#journal.line(seq)
  }

  /** One after the other, however often it is called. */
  look(changes: readonly LiveChange[]): Promise<void> {
    const next = this.#busy.then(() => this.#look(changes))
    this.#busy = next.catch(() => undefined)
    return next
  }

  /** The job has ended: what is left is read, and the run is finished. */
  async end(reason: 'completed' | 'stopped', changes: readonly LiveChange[]): Promise<void> {
    // A torn dump is as torn as it will stay.
    this.#torn = MOST_TORN
    await this.look(changes)
    await (this.#busy = this.#busy.then(() => {
      this.translator.end(reason)
      this.#commit()
    }))
  }

  async close(): Promise<void> {
    await this.#busy
    this.#journal.close()
  }

  async #look(changes: readonly LiveChange[]): Promise<void> {
    for (;;) {
      const log = readTail(this.#logFile, this.#cursor.log)
      const isHeld = await this.#readResults(changes)
      if (isHeld) return
      if (this.translator.iteration > 0) {
        this.translator.propose(this.#redactor.value(readProposals(this.#source, this.translator.iteration)))
      }
      if (log.isFresh) this.#listener.onNotice('The log of the job was cleared; it is read from its start.')
      this.#readLog(log.lines)
      this.#cursor.log = log.cursor
      this.#commit()
      if (!log.hasMore) return
    }
  }

  #readLog(found: readonly { offset: number; text: string }[]): void {
    for (let from = 0; from < found.length; from += LINES_AT_ONCE) {
      const some = found
        .slice(from, from + LINES_AT_ONCE)
        .map(({ offset, text }) => ({ offset, text: plainLine(text) }))
      let now: EphemeralEvent | null = null
      for (const { text } of some) {
        const mark = markOf(this.#source.system, text)
        if (mark) now = this.translator.mark(mark) ?? now
      }
      this.#listener.onLog({ lines: some.map(({ offset, text }) => ({ offset, text: this.#redactor.text(text) })) })
      if (now) this.#listener.onNow(now)
    }
  }

  /** True where a line waits for a dump that is being written. */
  async #readResults(changes: readonly LiveChange[]): Promise<boolean> {
    const found: FoundLine[] = []
    for (const { path, isEvaluation } of resultsFiles(this.#source)) {
      const name = nameOf(path)
      const { lines, cursor, isFresh } = readTail(path, this.#cursor.results[name] ?? AT_START)
      if (isFresh) this.#listener.onNotice('A file of results was cleared; it is read from its start.')
      for (const [index, { text }] of lines.entries()) {
        const end = lines[index + 1]?.offset ?? cursor.offset
        const line = parseResultsLine(this.#source.system, plainLine(text))
        if (line) found.push({ path, line, isEvaluation: line.isEvaluation ?? isEvaluation, end })
        else if (text.trim() !== '') {
          this.#listener.onNotice(
            `A line of results was not understood and is left out: "${this.#redactor.text(text).slice(0, 120)}"`,
          )
        }
      }
      // What follows the last line that counts is read too; without one, all of it.
      const last = found.findLast((line) => line.path === path)
      if (last) last.end = cursor.offset
      else this.#cursor.results[name] = cursor
    }
    found.sort((one, other) => one.line.step - other.line.step || Number(one.isEvaluation) - Number(other.isEvaluation))
    for (const { path, line, isEvaluation, end } of found) {
      if (isEvaluation) this.translator.evaluation(line, await countEvaluation(this.#source, line.step))
      else if (await this.#training(line, changes)) return true
      this.#cursor.results[nameOf(path)] = cursorAt(path, end)
      this.#commit()
    }
    return false
  }

  async #training(line: ResultsLine, changes: readonly LiveChange[]): Promise<boolean> {
    const { translator } = this
    if (line.step <= translator.iteration) {
      this.#listener.onNotice(`Step ${line.step} was told before; its second results are left out.`)
      return false
    }
    const settings = { ...translator.settings, ...liveIn(changes, line.step) }
    try {
      const snapshot = await readStep(this.#source, line, settings, (rootId) => translator.openProposal(rootId))
      // Before texts are cut: half a path would not be known for one.
      const told = this.#redactor.value(snapshot.told)
      translator.training(line, { ...snapshot, told }, changes)
    } catch (error) {
      const isTorn = error instanceof TornJsonError
      if (isTorn && ++this.#torn <= MOST_TORN) return true
      if (!isTorn && !(error instanceof OtherDumpError)) throw error
      this.#listener.onNotice(`Step ${line.step} is told without its rollouts. ${this.#redactor.text(error.message)}`)
      translator.training(line, null, changes)
    }
    this.#torn = 0
    return false
  }

  #commit(): void {
    const events: LoggedEvent[] = this.translator.drain().map((event) => this.#redactor.value(event))
    this.#cursor = { ...this.#cursor, memory: this.translator.memory }
    const cursor = JSON.stringify(this.#cursor)
    if (events.length === 0 && cursor === this.#saved) return
    this.#journal.append(events, JSON.parse(cursor) as WatchCursor)
    this.#saved = cursor
    if (events.length > 0) this.#listener.onEvents()
  }
}

function liveIn(changes: readonly LiveChange[], step: number): Partial<LiveChange['live']> {
  return changes.filter(({ fromStep }) => fromStep <= step).at(-1)?.live ?? {}
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
