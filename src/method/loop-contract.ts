/** The interface of the loop (loop.ts). */
import type { RunEvent, LoggedEvent, WorldFile } from './events.ts'
import type { FixedTrajectory } from './judge-evaluation/fixed-trajectory.ts'
import type { EnvironmentPort, LanguageModelPort, RoleFormats, UnitTestPort } from './ports.ts'
import type { LivePatch, Settings } from './settings.ts'

export interface LoopPorts {
  policy: LanguageModelPort
  reward: LanguageModelPort
  author: LanguageModelPort
  environment: EnvironmentPort
  formats: RoleFormats
  /** Required if `formats.reward` is a test writer. */
  unitTests?: UnitTestPort
  /** Milliseconds of a monotonic clock; the only source of time, so that tests can control it. */
  now(): number
}

export type Component = 'policy' | 'reward' | 'environment'

export interface LoopRequest {
  runId: string
  preset: string
  backend: string
  models: { policy: string; reward: string; author: string }
  /** Where the world is one from a file. Logged by a new run. */
  worldFile?: WorldFile | undefined
  /** For a new run. Ignored with `history`, which contains the settings. */
  settings: Settings
  /** Iterations to run from here; the generator then ends with `run-finished`. */
  iterations: number
  /** Trains or adapts this component alone, whatever the settings freeze. */
  only?: Component
  /**
   * The log of a resumed run, which continues after its last `iteration-finished`. The caller has loaded the checkpoints of
   * that iteration. `seq` continues after the last event.
   */
  history?: readonly LoggedEvent[]
  /** Held-out trajectories that never change, on which evaluations measure the reward model. Without them, they do not. */
  fixedTrajectories?: readonly FixedTrajectory[]
  /** Called once before every iteration: validated changes of settings since the last one. */
  takePatch?: () => LivePatch | null
  signal?: AbortSignal
}

export type RunLoop = (ports: LoopPorts, request: LoopRequest) => AsyncGenerator<RunEvent, void, void>
