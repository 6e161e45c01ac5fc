/** What a run in a world from a file has in place of what ships with the page: its own models, and no rewrites if it has none. */
import { ROLES, type Role } from '../method/ports.ts'
import type { Settings } from '../method/settings.ts'
import { RoleModelError } from '../roles/error.ts'
import { isShipped } from '../roles/shipped-models.ts'
import type { RoleSource } from '../roles/source.ts'
import { modelsFolder } from '../worlds/own/models-folder.ts'
import type { OpenedWorld } from '../worlds/world.ts'

/** A world without rewrites has a frozen environment. */
export function settingsIn(
  { canRewrite = true }: Pick<OpenedWorld, 'canRewrite'>,
  settings: Settings,
  onNotice: (text: string) => void,
): Settings {
  if (canRewrite || !settings.adaptEnvironment) return settings
  onNotice('This world has no rewrites, so its tasks stay as they are (adaptEnvironment=false).')
  return { ...settings, adaptEnvironment: false }
}

/** The sources of the page's roles. No model ships for a world from a file. Throws RoleModelError if one is chosen. */
export function sourcesIn(
  { canRewrite = true, worldFile }: Pick<OpenedWorld, 'canRewrite' | 'worldFile'>,
  { world }: Pick<Settings, 'world'>,
  sources: Record<Role, RoleSource>,
): Record<Role, RoleSource> {
  if (world !== 'own' || !worldFile) return sources
  // A world without rewrites never asks its author.
  const all = !canRewrite && isShipped(sources.author) ? { ...sources, author: sources.policy } : sources
  const role = ROLES.find((each) => isShipped(all[each]))
  if (role !== undefined)
    throw new RoleModelError(role, {
      what: `${worldFile.name} has no model for this role yet: ${role}.`,
      why: 'Small models are made for one world, so none ships with the page.',
      remedy:
        `If the world has an expert, run “npm run pretrain -- --world ./${worldFile.file}” and drop the folder ` +
        `${modelsFolder(worldFile.file)} on this page. Or choose a chat model under Models.`,
    })
  return all
}
