/**
 * `--models DIR`: the folders of the built-in models as `npm run pretrain` writes them (DIR/household-policy…), or the models of
 * a run as `--save` writes them (DIR/policy, DIR/reward), all of whose weights then learn. A saved run has no author, because
 * authors do not learn; the built-in one writes its tasks.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROLES, type Role } from '../../method/ports.ts'
import type { World } from '../../method/settings.ts'
import { LEARNING_ROLES } from '../../roles/learning.ts'
import { shippedModel } from '../../roles/shipped-models.ts'
import type { RoleSource } from '../../roles/source.ts'
import { ArgumentError } from '../arguments.ts'

export const SHIPPED_FOLDER = 'public/models'

/** The folder of built-in models, and the sources of roles that a saved run plays. Throws ArgumentError if a model is missing. */
export function modelsIn(
  folder: string,
  world: World,
  sources: Record<Role, RoleSource>,
): { shipped: string; sources: Record<Role, RoleSource> } {
  const has = (name: string, within = folder) => existsSync(join(within, name, 'config.json'))
  const saved = LEARNING_ROLES.filter(
    (role) => sources[role].kind === 'built-in' && !has(shippedModel(world, role)) && has(role),
  )
  const shipped = saved.length > 0 ? SHIPPED_FOLDER : folder
  const all = { ...sources }
  for (const role of saved)
    all[role] = {
      kind: 'checkpoint',
      location: join(folder, role),
      adapters: null,
      storage: 'float32',
      contextWindow: null,
      sampler: null,
    }
  const played = ROLES.filter((role) => all[role].kind === 'built-in').map((role) => shippedModel(world, role))
  const missing = played.find((name) => !has(name, shipped))
  if (missing !== undefined)
    throw new ArgumentError(
      `--models: "${shipped}" has no model ${missing}; it must contain ${played.join(', ')}, as \`npm run pretrain\` writes them, or policy and reward, as --save does.`,
    )
  return { shipped, sources: all }
}
