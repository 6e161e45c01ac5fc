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
import { folderSource, type RoleSource } from '../../roles/source.ts'
import { ArgumentError } from '../arguments.ts'

export const SHIPPED_FOLDER = 'public/models'

/**
 * The folder of built-in models, and the sources of roles that a saved run plays, whose other models are in `builtIn`. Throws
 * ArgumentError if a model is missing.
 */
export function modelsIn(
  folder: string,
  world: World,
  sources: Record<Role, RoleSource>,
  { canRewrite = true, builtIn = SHIPPED_FOLDER }: { canRewrite?: boolean | undefined; builtIn?: string } = {},
): { shipped: string; sources: Record<Role, RoleSource> } {
  const has = (name: string, within = folder) => existsSync(join(within, name, 'config.json'))
  const saved = LEARNING_ROLES.filter(
    (role) => sources[role].kind === 'built-in' && !has(shippedModel(world, role)) && has(role),
  )
  const shipped = saved.length > 0 ? builtIn : folder
  const all = { ...sources }
  for (const role of saved) all[role] = folderSource(join(folder, role))
  // Nobody asks the author of a world without rewrites, which has no model for one.
  if (!canRewrite && all.author.kind === 'built-in' && !has(shippedModel(world, 'author'), shipped)) {
    all.author =
      all.policy.kind === 'built-in' ? folderSource(join(shipped, shippedModel(world, 'policy'))) : all.policy
  }
  const played = ROLES.filter((role) => all[role].kind === 'built-in').map((role) => shippedModel(world, role))
  const missing = played.find((name) => !has(name, shipped))
  if (missing !== undefined && world === 'own')
    throw new ArgumentError(
      `--world: there is no model ${missing} in ${shipped}. Make the models with \`npm run pretrain -- --world FILE\`, or give chat models with --policy-model, --reward-model and --author-model.`,
    )
  if (missing !== undefined)
    throw new ArgumentError(
      `--models: "${shipped}" has no model ${missing}; it must contain ${played.join(', ')}, as \`npm run pretrain\` writes them, or policy and reward, as --save does.`,
    )
  return { shipped, sources: all }
}
