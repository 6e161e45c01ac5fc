/**
 * Which models can learn. A run is refused if a role should learn and its model cannot: otherwise it would show the curves of a
 * frozen model under the settings of a learning one.
 */
import { RoleModelError } from './error.ts'
import type { Role } from '../method/ports.ts'
import type { RoleSource } from './source.ts'

/** Roles that can learn, with the setting that switches learning on. */
const SWITCHES = { policy: 'trainPolicy', reward: 'trainReward' } as const satisfies Partial<Record<Role, string>>
export type LearningRole = keyof typeof SWITCHES
export const LEARNING_ROLES = ['policy', 'reward'] as const satisfies readonly LearningRole[]

/** Why a model cannot learn, and what to choose instead; null if it can. */
export function learningObstacle(source: RoleSource): { why: string; choice: string } | null {
  switch (source.kind) {
    case 'built-in':
    case 'built-in-webllm':
    case 'tinker':
      return null
    case 'checkpoint':
      if (source.adapters !== null || source.storage === 'float32') return null
      return {
        why: `Its weights are stored as ${source.storage}, and only float32 weights can be trained directly.`,
        choice: 'train adapters on it, or store its weights as float32',
      }
    case 'webllm':
      return {
        why: 'WebLLM runs models but does not train them.',
        choice: 'choose the checkpoint that it was compiled from, and let WebLLM sample for it',
      }
    case 'openai':
      return {
        why: 'A server with OpenAI’s interface samples but does not train.',
        choice: 'choose a built-in model, a checkpoint or a Tinker server',
      }
  }
}

/** Throws RoleModelError if a role should learn and cannot. */
export function checkLearners(
  sources: Record<Role, RoleSource>,
  trains: Readonly<Record<(typeof SWITCHES)[LearningRole], boolean>>,
): void {
  for (const role of LEARNING_ROLES) {
    const obstacle = trains[SWITCHES[role]] ? learningObstacle(sources[role]) : null
    if (obstacle === null) continue
    throw new RoleModelError(role, {
      what: `The ${role} model should learn but cannot.`,
      why: obstacle.why,
      remedy: `Switch ${SWITCHES[role]} off, or ${obstacle.choice}.`,
    })
  }
}
