/** What the page calls the run on show, in a few words: whose it is, its world, its signal and its iteration. */
import { WORLDS } from '../../worlds/index.ts'
import type { Settings } from '../../method/settings.ts'
import type { RunView } from '../../runs/fold.ts'
import { compact } from '../kit/format.ts'

export interface RunFacts {
  /** `live` is the run of this tab; the others were recorded, kept in this browser, or opened from a file. */
  kind: 'live' | 'loading' | 'shipped' | 'browser' | 'file'
  state: 'open' | 'paused' | 'ended'
  /** Settings of the iteration on show; null before the run has started. */
  settings: Settings | null
  /** What a world from a file calls itself; undefined for the worlds that ship. */
  worldName?: string | undefined
  /** The iteration on show; null before the first. */
  iteration: number | null
  /** How many the run has or will have; null if that is not known. */
  length: number | null
}

export interface RunLabel {
  kind: string
  world: string
  signal: string
  iteration: string
}

export function runLabel({ kind, state, settings, worldName, iteration, length }: RunFacts): RunLabel {
  // The run before it may still be on show, and is not what loads.
  if (kind === 'loading') return { kind: 'Loading a run', world: '', signal: '', iteration: '' }
  return {
    kind: {
      live: 'Your run',
      shipped: 'Recorded run',
      browser: 'Kept run',
      file: 'Run from a file',
    }[kind],
    world: settings ? (worldName ?? WORLDS[settings.world].title) : '',
    signal: settings ? signalOf(settings) : '',
    iteration:
      iteration === null
        ? 'no iteration yet'
        : `Iteration ${iteration}${length === null ? '' : ` of ${length}`}${state === 'ended' ? ', ended' : ''}`,
  }
}

/** Where a live run is: its start is evaluated before iteration 1 begins. */
export function runPlace({ current }: Pick<RunView, 'current'>): string {
  return current ? `iteration ${current.iteration}` : 'before iteration 1'
}

/** λ where the signal has one, else the feedback itself. */
function signalOf({ signal, lambda }: Settings): string {
  if (signal === 'outcome') return 'R = O'
  return signal === 'step' ? 'R = mean S' : `λ = ${compact(lambda)}`
}
