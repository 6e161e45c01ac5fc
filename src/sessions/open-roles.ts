/** Opens the models of all three roles, each in its own thread or on a server. */
import { forRoles, ROLES, type Role } from '../method/ports.ts'
import type { ModelInfo, RoleModel } from '../roles/role-model.ts'
import type { RoleSource } from '../roles/source.ts'
import { openRole, type RoleContext } from './open-role.ts'

export interface OpenRolesOptions extends Omit<RoleContext, 'onBytes'> {
  sources: Record<Role, RoleSource>
  /** Sums the bytes of all three. */
  onBytes?: (done: number, total: number) => void
}

export interface OpenedRoles extends Record<Role, RoleModel> {
  infos: Record<Role, ModelInfo>
  close(): void
}

/** Loads all three at the same time. Throws RoleModelError and the errors of loading. */
export async function openRoles({ sources, onBytes, ...context }: OpenRolesOptions): Promise<OpenedRoles> {
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
