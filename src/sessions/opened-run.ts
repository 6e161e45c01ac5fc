/** A run whose models and world are open. */
import type { BackendChoice } from '../engines/backends/choice.ts'
import type { LoopPorts, LoopRequest } from '../method/loop-contract.ts'
import type { Settings } from '../method/settings.ts'
import { LEARNING_ROLES } from '../roles/learning.ts'
import type { ResumableRun } from '../runs/run-store.ts'
import type { StartRequest } from './messages.ts'

export interface OpenedRun {
  ports: LoopPorts
  backend: 'cpu' | 'webgpu'
  /** Names of the models in the log. */
  models: LoopRequest['models']
  fixedTrajectories?: LoopRequest['fixedTrajectories']
  /** Set for a world from a file. */
  worldFile?: LoopRequest['worldFile']
  /** Those of the request, without what the world cannot do. */
  settings?: Settings
  /** Aborts what the world is doing, such as judging programs for minutes. */
  interrupt?(): void
  close(): void
}

export type OpenRun = (
  request: StartRequest,
  context: {
    /** The run resumes from a checkpoint, so its tasks are in its log. */
    isResumed: boolean
    /** Whether the run should take little memory and time of the device. Its log does not depend on it. */
    isSparing: boolean
    onBytes: (done: number, total: number) => void
    onNotice: (text: string) => void
    onBackend: (choice: BackendChoice) => void
  },
) => Promise<OpenedRun>

/** What the loop needs to know, without sources and keys, which must not be logged. */
export function loopRequest(
  { runId, preset, settings }: StartRequest,
  opened: OpenedRun,
): Omit<LoopRequest, 'iterations'> {
  const { backend, models, fixedTrajectories, worldFile } = opened
  return {
    runId,
    preset,
    settings: opened.settings ?? settings,
    backend,
    models,
    ...(fixedTrajectories && { fixedTrajectories }),
    ...(worldFile && { worldFile }),
  }
}

/** Loads the models that a checkpoint has. A model without bytes stays as it was opened. */
export async function loadCheckpoint({ ports }: OpenedRun, checkpoint: ResumableRun['checkpoint']): Promise<void> {
  const trained = LEARNING_ROLES.filter((role) => checkpoint[role].length > 0)
  await Promise.all(trained.map((role) => ports[role].loadCheckpoint(checkpoint[role])))
}
