/** Which run the page shows: the recorded one or the live one. */
import type { RunView } from '../../runs/fold.ts'
import { LANES, type Lane } from '../kit/revision.svelte.ts'
import type { RecordedRun } from './recorded-run.svelte.ts'
import type { RunFeed } from './run-feed.svelte.ts'
import type { RunOnShow } from './run-on-show.ts'

export type RunSource = 'recorded' | 'live'

class SourceLane {
  source = $state.raw<RunSource>('recorded')
}

export class ShownRun {
  readonly recorded: RecordedRun
  readonly live: RunFeed
  #source = $state.raw<RunSource>('recorded')
  readonly #lanes = Object.fromEntries(LANES.map((lane) => [lane, new SourceLane()])) as Record<Lane, SourceLane>
  #turn = 0

  constructor(recorded: RecordedRun, live: RunFeed) {
    this.recorded = recorded
    this.live = live
  }

  get source(): RunSource {
    return this.#source
  }
  get run(): RunOnShow {
    return this[this.#source]
  }
  /** The run that a lane shows. Lanes switch to another run one by one, each in its own task. */
  runFor(lane: Lane): RunOnShow {
    return this[this.#lanes[lane].source]
  }
  viewFor(lane: Lane): RunView {
    return this.runFor(lane).viewFor(lane)
  }

  show(source: RunSource): void {
    this.#source = source
    const ticket = ++this.#turn
    const turn = (index: number) => {
      const lane = LANES[index]
      if (lane === undefined || ticket !== this.#turn) return
      this.#lanes[lane].source = source
      setTimeout(() => turn(index + 1), 0)
    }
    turn(0)
  }
}
