/** The models that ship with the app, one for each role and world. */
import { forRoles, type Role } from '../method/ports.ts'
import type { World } from '../method/settings.ts'
import type { LearningRole } from './learning.ts'
import { sourceName, type RoleSource } from './source.ts'

/** Name of its folder. */
export function shippedModel(world: World, role: Role): string {
  return `${world}-${role}`
}

/** Name of the folder of the household's reward model from the beginning of its lessons: a start from which it has much to learn. */
export const EARLY_JUDGE = 'household-reward-early'

/** Folder of the models that several worlds share, which do not ship: `npm run pretrain -- --world shared` makes them. */
export const SHARED_MODELS = '.cache/models'

/** Name of the folder of such a model. */
export function sharedModel(role: LearningRole): string {
  return `shared-${role}`
}

export function hasEarlyModel(world: World, role: Role): boolean {
  return world === 'household' && role === 'reward'
}

/** Name of the folder of the shipped model that a source stands for. */
export function shippedFolder(source: RoleSource, world: World, role: Role): string {
  const isEarly = source.kind === 'built-in' && source.isEarly === true && hasEarlyModel(world, role)
  return isEarly ? EARLY_JUDGE : shippedModel(world, role)
}

/** Whether a source is one of them, whatever samples for it. */
export function isShipped({ kind }: RoleSource): boolean {
  return kind === 'built-in' || kind === 'built-in-webllm'
}

/** Names of the models in the log. */
export function modelNames(sources: Record<Role, RoleSource>, world: World): Record<Role, string> {
  return forRoles((role) => sourceName(sources[role], shippedFolder(sources[role], world, role)))
}
