/**
 * What a run's setting plugs into the loop beside its models: a world, the words in which its roles are spoken to, and a judge
 * where programs are written. The one place for page and command line; they say where households, problems and threads are
 * to be had.
 */
import type { Judge } from './coding/judge/judge.ts'
import type { ImportedProblem } from './coding/problem-source.ts'
import { householdFormats } from './household/roles/plain-roles.ts'
import type { ChatPieces } from '../method/chat-pieces.ts'
import type { LoopPorts } from '../method/loop-contract.ts'
import type { EnvironmentPort, RoleFormats, Role } from '../method/ports.ts'
import { DEFAULTS, type Settings } from '../method/settings.ts'
import type { WorkerLostError } from '../threads/errors.ts'
import type { Bridge } from '../threads/worker-bridge.ts'

export interface WorldRequest {
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

export interface WorldSources extends CodingSources {
  openHousehold(request: WorldRequest): Promise<{ environment: EnvironmentPort; close(): void }>
}

/** How each role's model is spoken to; null for one that continues plain text. */
export type RolePieces = Record<Role, ChatPieces | null>

export interface OpenedWorld extends Pick<LoopPorts, 'environment' | 'unitTests'> {
  /** Each role's words, by what plays it; known when the models are. */
  formatsFor(pieces: RolePieces): Promise<RoleFormats>
  close(): void
}

/** Throws what the sources throw, and a NoProblemsError where there is no imported problem for what the run would draw. */
export async function openWorld(request: WorldRequest, sources: WorldSources): Promise<OpenedWorld> {
  if (request.settings.world === 'household') {
    return {
      ...(await sources.openHousehold(request)),
      formatsFor: (pieces) => householdFormatsFor(pieces, request.settings),
    }
  }
  // Not loaded for a household.
  const { openCoding } = await import('./coding/open-coding.ts')
  return openCoding(request, sources)
}

async function householdFormatsFor({ policy, reward, author }: RolePieces, settings: Settings): Promise<RoleFormats> {
  if (!policy && !reward && !author) return householdFormats
  // Not loaded for models that know the formats by heart.
  const instruct = await import('./household/roles/instruct-roles.ts')
  // A log from before there were dialects lacks the setting.
  const { dialect = DEFAULTS.dialect } = settings as Partial<Settings>
  return {
    policy: policy ? ending(policy, instruct.instructPolicy(policy, { dialect })) : householdFormats.policy,
    reward: reward ? instruct.instructReward(reward) : householdFormats.reward,
    author: author ? instruct.instructAuthor(author) : householdFormats.author,
  }
}

/** A response that is cut at the token limit is ended as the model would have ended it. */
export function ending({ responseEnd }: ChatPieces, format: RoleFormats['policy']): RoleFormats['policy'] {
  return { ...format, responseEnd }
}
