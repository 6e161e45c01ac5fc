/** Which run the page shows: the recorded one or the live one. */
import type { RunView } from '../../runs/fold.ts'
import { PANELS, type Panel } from '../kit/revision.svelte.ts'
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
  readonly #lanes = Object.fromEntries(PANELS.map((panel) => [panel, new SourceLane()])) as Record<Panel, SourceLane>
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
  /** The run that a panel draws. Panels turn to another run one by one, each in its own task. */
  runFor(panel: Panel): RunOnShow {
    return this[this.#lanes[panel].source]
  }
  viewFor(panel: Panel): RunView {
    return this.runFor(panel).viewFor(panel)
  }

  show(source: RunSource): void {
    this.#source = source
    const ticket = ++this.#turn
    const turn = (index: number) => {
      const panel = PANELS[index]
      if (panel === undefined || ticket !== this.#turn) return
      this.#lanes[panel].source = source
      setTimeout(() => turn(index + 1), 0)
    }
    turn(0)
  }
}
