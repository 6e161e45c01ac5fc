/**
 * The folder of models that `npm run pretrain -- --world ./my-world.ts` writes: my-world.models/own-policy and so on. The page keeps
 * each model as a folder of its own (local-folders.ts), whose name has both parts.
 */
import { ROLES, type Role } from '../../../method/ports.ts'
import { folderSource, type RoleSource } from '../../../roles/source.ts'
import { shippedModel } from '../../../roles/shipped-models.ts'
import { modelsFolder } from '../../../worlds/own/models-folder.ts'
import type { PickedFile } from '../../../storage/dropped-files.ts'

const IS_WORLD = /^[^/]+\.[cm]?[jt]s$/i
const IN_MODELS = /(?:^|\/)([^/]+\.models)\/(own-[a-z]+)\/[^/]+$/

/** Whether a dropped file is a world, or part of the models of one. */
export function isOfWorld(path: string): boolean {
  return IS_WORLD.test(path) || IN_MODELS.test(path)
}

export interface OwnFiles {
  worlds: File[]
  /** Files of each model, by the name that it is kept under. */
  models: ReadonlyMap<string, File[]>
  /** Why files could not be opened. */
  problems: string[]
}

export function sortFiles(picked: readonly PickedFile[]): OwnFiles {
  const worlds: File[] = []
  const models = new Map<string, File[]>()
  const problems: string[] = []
  for (const each of picked) {
    const { path, file } = each
    if (file === null) {
      problems.push(`${path}: ${each.reason}`)
      continue
    }
    const [, folder, model] = IN_MODELS.exec(path) ?? []
    if (folder === undefined) {
      if (IS_WORLD.test(path)) worlds.push(file)
      continue
    }
    const name = `${folder}/${model!}`
    models.set(name, [...(models.get(name) ?? []), file])
  }
  return { worlds, models, problems }
}

/** The models of a world among the folders that the page keeps. An author is needed only where tasks can change. */
export function modelsOf(file: string, folders: readonly string[]): Partial<Record<Role, RoleSource>> {
  const found = ROLES.map((role) => [role, `${modelsFolder(file)}/${shippedModel('own', role)}`] as const)
  return Object.fromEntries(
    found.filter(([, name]) => folders.includes(name)).map(([role, name]) => [role, folderSource(`local:${name}`)]),
  )
}
