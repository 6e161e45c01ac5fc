/** The three roles' models, each in a thread of its own or on a server. */
import type { BackendName } from '../language-model/backends/index.ts'
import type { Settings } from '../method/settings.ts'
import { openRole, type RoleContext } from '../sessions/open-role.ts'
import type { RoleModel, RoleSource } from './source.ts'
import { sourceName } from './source.ts'
import type { ModelInfo } from '../engines/transformer/transformer-model.ts'

export const BACKENDS = ['cpu', 'webgpu'] as const satisfies readonly BackendName[]

export const ROLES = ['policy', 'reward', 'author'] as const
export type Role = (typeof ROLES)[number]

/** Folder names of the models that we ship: which one plays what in each setting. */
export const SHIPPED_MODELS: Record<Settings['setting'], Record<Role, string>> = {
  household: { policy: 'household-policy', reward: 'household-reward', author: 'household-author' },
  coding: { policy: 'coding-policy', reward: 'coding-reward', author: 'coding-author' },
}

export function forRoles<Value>(valueOf: (role: Role) => Value): Record<Role, Value> {
  return { policy: valueOf('policy'), reward: valueOf('reward'), author: valueOf('author') }
}

/** Who plays what, where roles that nothing is said of are played by the built-in models. */
export function sourcesOf(given: Partial<Record<Role, RoleSource>> = {}): Record<Role, RoleSource> {
  return forRoles((role) => given[role] ?? { kind: 'built-in' })
}

/** What the log calls the models. */
export function modelNames(sources: Record<Role, RoleSource>, setting: Settings['setting']): Record<Role, string> {
  return forRoles((role) => sourceName(sources[role], SHIPPED_MODELS[setting][role]))
}

export interface RoleModelsOptions extends Omit<RoleContext, 'onBytes'> {
  sources: Record<Role, RoleSource>
  /** Bytes of all three together. */
  onBytes?: (done: number, total: number) => void
}

export interface RoleModels extends Record<Role, RoleModel> {
  infos: Record<Role, ModelInfo>
  close(): void
}

/** Starts and loads all three at the same time. Throws what loading throws, and RoleModelError. */
export async function openRoleModels({ sources, onBytes, ...context }: RoleModelsOptions): Promise<RoleModels> {
  const bytes = new Map<Role, { done: number; total: number }>()
  const opened = forRoles((role) =>
    openRole(role, sources[role], {
      ...context,
      ...(onBytes && {
        onBytes(done: number, total: number) {
          bytes.set(role, { done, total })
          const all = [...bytes.values()]
          onBytes(
            all.reduce((sum, part) => sum + part.done, 0),
            all.reduce((sum, part) => sum + part.total, 0),
          )
        },
      }),
    }),
  )
  const close = () => ROLES.forEach((role) => opened[role].close())
  try {
    const [policy, reward, author] = await Promise.all(ROLES.map((role) => opened[role].load()))
    return {
      ...forRoles((role) => opened[role].model),
      infos: { policy: policy!, reward: reward!, author: author! },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}
