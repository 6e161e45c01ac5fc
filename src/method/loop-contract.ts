/** What a caller of the loop gives and gets; see loop.ts. */
import type { RunEvent, LoggedEvent } from './events.ts'
import type { EnvironmentPort, LanguageModelPort, RoleFormats, UnitTestPort } from './ports.ts'
import type { LivePatch, Settings } from './settings.ts'

export interface LoopPorts {
  policy: LanguageModelPort
  reward: LanguageModelPort
  author: LanguageModelPort
  environment: EnvironmentPort
  formats: RoleFormats
  /** Where `formats.reward` is a test writer. */
  unitTests?: UnitTestPort
  /** Milliseconds of a monotonic clock; the only source of time, so that tests can hold it still. */
  now(): number
}

export type Component = 'policy' | 'reward' | 'environment'

export interface LoopRequest {
  runId: string
  preset: string
  backend: string
  models: { policy: string; reward: string; author: string }
  /** Of a new run. With `history` the run's own settings and their changes hold, and these are not looked at. */
  settings: Settings
  /** Iterations to run from here; the generator then ends with `run-finished`. */
  iterations: number
  /** Train or adapt this component alone in these iterations, whatever the settings freeze. */
  only?: Component
  /**
   * Log of the run so far, to go on after its last `iteration-finished`. The caller has loaded the checkpoints that belong
   * there; `seq` goes on after the last event given.
   */
  history?: readonly LoggedEvent[]
  /** Asked once before every iteration: changes that a person made since the last one. The caller has validated them. */
  takePatch?: () => LivePatch | null
  signal?: AbortSignal
}

export type RunLoop = (ports: LoopPorts, request: LoopRequest) => AsyncGenerator<RunEvent, void, void>
