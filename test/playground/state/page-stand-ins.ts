/** Stand-ins for what the state of the page uses of a browser and of the workers. */
import { vi } from 'vitest'
import { isLogged, type LoggedEvent, type RunEvent } from '../../../src/method/events.ts'
import type { KeptRunList } from '../../../src/playground/state/kept-runs.svelte.ts'
import type { LoopPort, OpenLoop } from '../../../src/playground/state/loop-port.ts'
import { RunView } from '../../../src/runs/fold.ts'
import type { RunMessage } from '../../../src/sessions/loop-service.ts'
import type { RunOnShow } from '../../../src/playground/state/run-on-show.ts'

/** A hidden page, which draws by timers, under fake timers. Undone by `vi.useRealTimers` and `vi.unstubAllGlobals`. */
export function standInForBrowser(): void {
  vi.useFakeTimers()
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', { hidden: true })
  vi.stubGlobal('navigator', {})
}

/** Lets timers pass until nothing is pending for a while. */
export async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000)
}

/** Records the commands that the page sends, and sends what a test wants the loop to say. */
export class FakeLoop {
  readonly commands: [name: keyof LoopPort, ...args: unknown[]][] = []
  opened = 0
  isSparing: boolean | null = null
  #say: (message: RunMessage) => void = () => {}
  #lose: (why: string) => void = () => {}
  /** Thrown by the next command. */
  error: Error | null = null

  readonly open: OpenLoop = (onMessage, onLost) => {
    this.opened++
    this.#say = onMessage
    this.#lose = onLost
    const record = (name: keyof LoopPort) =>
      async (...args: unknown[]) => {
        this.commands.push([name, ...args])
        const { error } = this
        this.error = null
        if (error) throw error
      } // prettier-ignore
    const names = ['start', 'resumeRun', 'branchRun', 'pause', 'resume', 'stop', 'stepOnce', 'patch'] as const
    const port = Object.fromEntries(names.map((name) => [name, record(name)])) as unknown as LoopPort
    const spare = async (isSparing: boolean) => void (this.isSparing = isSparing)
    const exportLog = async () => {
      await record('exportLog')()
      return null
    }
    return { ...port, spare, exportLog }
  }

  say(message: RunMessage): void {
    this.#say(message)
  }
  lose(why: string): void {
    this.#lose(why)
  }
  /** Names of the commands so far. */
  get names(): string[] {
    return this.commands.map(([name]) => name)
  }
}

/** A run that a test grows event by event. */
export class FakeRun implements RunOnShow {
  readonly origin = 'browser'
  readonly runId = 'fake'
  key = 'fake'
  readonly phase = null
  isBusy = true
  readonly liveSteps = new Map()
  view = new RunView()

  constructor(events: Iterable<RunEvent> = []) {
    this.apply(events)
  }
  apply(events: Iterable<RunEvent>): void {
    for (const event of events) if (isLogged(event)) this.view.apply(event)
  }
  viewFor(): RunView {
    return this.view
  }
  lengthFor(): number {
    return this.view.current?.iteration ?? 1
  }
  async want(): Promise<void> {}
}

/** The kept runs of a browser: ids with their events. */
export function keptRuns(runs: Readonly<Record<string, readonly LoggedEvent[]>> = {}): KeptRunList {
  const fake = {
    has: (runId: string) => Object.hasOwn(runs, runId),
    completeId: (runId: string) => (Object.hasOwn(runs, runId) ? runId : null),
    find: async () => null,
    look: async () => {},
    isChosen: () => true,
    isInUse: () => false,
    choose: async () => {},
    chosen: [],
    entries: [],
    rows: async () => [],
    source: (runId: string) => ({
      runId,
      readEvents: async (onBatch: (events: readonly LoggedEvent[]) => void) => onBatch(runs[runId] ?? []),
      eventsOf: async (iteration: number) => (runs[runId] ?? []).filter((event) => event.iteration === iteration),
    }),
  }
  return fake as unknown as KeptRunList
}
