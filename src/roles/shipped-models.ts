/** The models that ship with the app, one for each role and world. */
import { forRoles, type Role } from '../method/ports.ts'
import type { World } from '../method/settings.ts'
import { sourceName, type RoleSource } from './source.ts'

/** Name of its folder. */
export function shippedModel(world: World, role: Role): string {
  return `${world}-${role}`
}

/** Whether a source is one of them, whatever samples for it. */
export function isShipped({ kind }: RoleSource): boolean {
  return kind === 'built-in' || kind === 'built-in-webllm'
}

/** Names of the models in the log. */
export function modelNames(sources: Record<Role, RoleSource>, world: World): Record<Role, string> {
  return forRoles((role) => sourceName(sources[role], shippedModel(world, role)))
}
