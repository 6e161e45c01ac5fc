/**
 * Reads a run's files on the cluster and turns them into events. A look reads the log before the other files but processes it after
 * them, so that everything written before a line of the log is known when the line is processed.
 *
 * What a look has read goes to the journal at once, together with the position at which the next look continues. A look that fails, for
 * example because the disk is full, can be repeated.
 */
import { join } from 'node:path'
import { Turns } from '../../method/turns.ts'
import type { EphemeralEvent, LoggedEvent } from '../../method/events.ts'
import type { LogLines } from '../protocol.ts'
import { markOf, plainLine } from '../released/job-log.ts'
import { parseResultsLine, type ResultsLine } from '../released/results.ts'
import { liveAt, type LiveChange } from '../released/live-changes.ts'
import type { TranslatorMemory } from '../released/translator-state.ts'
import { RunTranslator, type RunIdentity } from '../released/translator.ts'
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
  /** The journal has new events. */
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

/** Looks to wait for a torn dump. */
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
  /** The job has ended, so a torn dump stays torn. */
  #isLastLook = false
  /** Events that are not in the journal yet. */
  #pending: LoggedEvent[] = []
  readonly #turns = new Turns()

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
    this.#journal = Journal.open(join(options.folder, 'journal.jsonl'), (event) => this.translator.state.apply(event))
    this.#cursor = this.#journal.cursor ?? { log: AT_START, results: {}, memory: this.translator.state.memory }
    this.translator.state.memory = this.#cursor.memory
    this.#saved = JSON.stringify(this.#journal.cursor)
    this.translator.begin()
    this.#commit()
  }

  get length(): number {
    return this.#journal.length
  }

  /** Whether the journal contains the end of the run. */
  get isOver(): boolean {
    return this.translator.state.isOver && this.#pending.length === 0
  }

  /** JSON of a reported event. */
  line(seq: number): string {
    return this.#journal.line(seq)
  }

  /**
   * Calls run one after another, each with the changes of its time. `after` runs before the next one, so a change that it makes holds for
   * every step that is not read yet.
   */
  look(changes: () => readonly LiveChange[], after: () => void = () => {}): Promise<void> {
    return this.#turns.take(async () => {
      await this.#look(changes())
      after()
    })
  }

  /** Reads the rest after the job has ended, and finishes the run. */
  async end(reason: 'completed' | 'stopped', changes: () => readonly LiveChange[]): Promise<void> {
    this.#isLastLook = true
    await this.look(changes)
    await this.#turns.take(async () => {
      this.translator.end(reason)
      this.#commit()
    })
  }

  close(): Promise<void> {
    return this.#turns.take(async () => this.#journal.close())
  }

  async #look(changes: readonly LiveChange[]): Promise<void> {
    // Nothing follows the end of a run, but it may not be in the journal yet.
    if (this.translator.state.isOver) {
      this.#commit()
      return
    }
    for (;;) {
      const log = readTail(this.#logFile, this.#cursor.log)
      const isHeld = await this.#readResults(changes)
      if (isHeld) return
      if (this.translator.state.iteration > 0) {
        this.translator.propose(this.#redactor.value(readProposals(this.#source, this.translator.state.iteration)))
      }
      if (log.isFresh) this.#listener.onNotice('The log of the job was cleared. It is read again from its start.')
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

  /** True if a line has to wait for a dump that is still being written. */
  async #readResults(changes: readonly LiveChange[]): Promise<boolean> {
    const found: FoundLine[] = []
    for (const { path, isEvaluation } of resultsFiles(this.#source)) {
      const name = nameOf(path)
      const { lines, cursor, isFresh } = readTail(path, this.#cursor.results[name] ?? AT_START)
      if (isFresh) this.#listener.onNotice('A file of results was cleared. It is read again from its start.')
      for (const [index, { text }] of lines.entries()) {
        const end = lines[index + 1]?.offset ?? cursor.offset
        const line = parseResultsLine(this.#source.system, plainLine(text))
        if (line) found.push({ path, line, isEvaluation: line.isEvaluation ?? isEvaluation, end })
        else if (text.trim() !== '') {
          this.#listener.onNotice(
            `A line of results was not understood and is skipped: "${this.#redactor.text(text).slice(0, 120)}"`,
          )
        }
      }
      // Also consumes what follows the last known line, or everything if there is none.
      const last = found.findLast((line) => line.path === path)
      if (last) last.end = cursor.offset
      else this.#cursor.results[name] = cursor
    }
    found.sort((one, other) => one.line.step - other.line.step || Number(one.isEvaluation) - Number(other.isEvaluation))
    for (const { path, line, isEvaluation, end } of found) {
      // Read first: if it fails, the line has not been reported yet.
      const cursor = cursorAt(path, end)
      if (isEvaluation) this.translator.evaluation(line, await countEvaluation(this.#source, line.step))
      else if (await this.#training(line, changes)) return true
      this.#cursor.results[nameOf(path)] = cursor
      this.#commit()
    }
    return false
  }

  async #training(line: ResultsLine, changes: readonly LiveChange[]): Promise<boolean> {
    const { translator } = this
    if (line.step <= translator.state.iteration) {
      this.#listener.onNotice(`Step ${line.step} was already reported. Its second results are ignored.`)
      return false
    }
    const settings = { ...translator.state.settings, ...liveAt(changes, line.step) }
    try {
      const snapshot = await readStep(this.#source, line, settings, (rootId) => translator.state.openProposal(rootId))
      // Redacts before texts are cut: half a path would not be recognised.
      const groups = this.#redactor.value(snapshot.groups)
      translator.training(line, { ...snapshot, groups }, changes)
    } catch (error) {
      const isTorn = error instanceof TornJsonError
      if (isTorn && !this.#isLastLook && ++this.#torn <= MOST_TORN) return true
      if (!isTorn && !(error instanceof OtherDumpError)) throw error
      this.#listener.onNotice(
        `Step ${line.step} is reported without its rollouts. ${this.#redactor.text(error.message)}`,
      )
      translator.training(line, null, changes)
    }
    this.#torn = 0
    return false
  }

  #commit(): void {
    this.#pending.push(...this.translator.drain().map((event) => this.#redactor.value(event)))
    const events = this.#pending
    this.#cursor = { ...this.#cursor, memory: this.translator.state.memory }
    const cursor = JSON.stringify(this.#cursor)
    if (events.length === 0 && cursor === this.#saved) return
    this.#journal.append(events, JSON.parse(cursor) as WatchCursor)
    this.#pending = []
    this.#saved = cursor
    if (events.length > 0) this.#listener.onEvents()
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
