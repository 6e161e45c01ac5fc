/** The models that ship with the app. */
import { forRoles, type Role } from '../method/ports.ts'
import type { Settings } from '../method/settings.ts'
import { sourceName, type RoleSource } from './source.ts'

/** Folder names of the models that we ship: which one plays what in each setting. */
export const SHIPPED_MODELS: Record<Settings['world'], Record<Role, string>> = {
  household: { policy: 'household-policy', reward: 'household-reward', author: 'household-author' },
  coding: { policy: 'coding-policy', reward: 'coding-reward', author: 'coding-author' },
}

/** What the log calls the models. */
export function modelNames(sources: Record<Role, RoleSource>, world: Settings['world']): Record<Role, string> {
  return forRoles((role) => sourceName(sources[role], SHIPPED_MODELS[world][role]))
}
