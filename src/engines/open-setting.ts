/**
 * What a run's setting plugs into the loop beside its models: a world, the words in which its roles are spoken to, and a judge
 * where programs are written. The one place for page and command line; they say where households, problems and threads are
 * to be had.
 */
import type { Judge } from '../environments/coding/judge/judge.ts'
import type { ImportedProblem } from '../environments/coding/problem-source.ts'
import { householdFormats } from '../environments/household/roles.ts'
import type { LoopPorts } from '../method/loop-contract.ts'
import type { EnvironmentPort } from '../method/ports.ts'
import type { Settings } from '../method/settings.ts'
import type { WorkerLostError } from './errors.ts'
import type { Bridge } from './worker-bridge.ts'

export interface SettingRequest {
  settings: Settings
  /** The run goes on, with the tasks that its log holds; only its evaluations draw others. */
  isResumed: boolean
}

export interface CodingSources {
  /** All imported problems. Not asked unless these are to be posed. */
  listProblems(): Promise<readonly ImportedProblem[]>
  /** Nothing is started before a program is to be judged. */
  startJudge(): Bridge<Judge>
  onJudgeLoss(loss: WorkerLostError): void
}

export interface SettingSources extends CodingSources {
  openHousehold(request: SettingRequest): Promise<{ environment: EnvironmentPort; close(): void }>
}

export interface OpenedSetting extends Pick<LoopPorts, 'environment' | 'formats' | 'unitTests'> {
  close(): void
}

/** Throws what the sources throw, and a NoProblemsError where there is no imported problem for what the run would draw. */
export async function openSetting(request: SettingRequest, sources: SettingSources): Promise<OpenedSetting> {
  if (request.settings.setting === 'household') {
    return { ...(await sources.openHousehold(request)), formats: householdFormats }
  }
  // Not loaded for a household.
  const { openCoding } = await import('./open-coding.ts')
  return openCoding(request, sources)
}
