/**
 * The folder of models that `npm run pretrain -- --world ./my-world.ts` writes: my-world.models/own-policy and so on. The page keeps
 * each model as a folder of its own (local-folders.ts), my-world.models@1a2b3c4d/own-policy. Its name has a digest of the whole folder
 * (version-name.ts), so models that are dropped later take nothing away from runs that began with these.
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

export type ModelFiles = ReadonlyMap<string, readonly File[]>

export interface OwnFiles {
  worlds: File[]
  /** By folder, "my-world.models", the files of each model in it, "own-policy". */
  models: ReadonlyMap<string, ModelFiles>
  /** Why files could not be opened. */
  problems: string[]
}

export function sortFiles(picked: readonly PickedFile[]): OwnFiles {
  const worlds: File[] = []
  const models = new Map<string, Map<string, File[]>>()
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
    const ofFolder = models.get(folder) ?? new Map<string, File[]>()
    models.set(folder, ofFolder.set(model!, [...(ofFolder.get(model!) ?? []), file]))
  }
  return { worlds, models, problems }
}

/** The models of a world among the folders that the page keeps. An author is needed only where tasks can change. */
export function modelsOf(
  file: string,
  folders: readonly string[],
  latest: string | null,
): Partial<Record<Role, RoleSource>> {
  const version = playedVersion(file, folders, latest)
  const found = ROLES.map((role) => [role, `${version}/${shippedModel('own', role)}`] as const)
  return Object.fromEntries(
    found.filter(([, name]) => folders.includes(name)).map(([role, name]) => [role, folderSource(`local:${name}`)]),
  )
}

/** "my-world.models@1a2b3c4d": the version named `latest` if it is kept, or else any; null without one. */
export function playedVersion(file: string, folders: readonly string[], latest: string | null): string | null {
  const folder = modelsFolder(file)
  // Earlier versions of the page kept one version, under the folder's name alone.
  const isVersion = (name: string) => name === folder || name.startsWith(`${folder}@`)
  const kept = folders.map((name) => name.replace(/\/[^/]*$/, '')).filter(isVersion)
  return kept.find((name) => name === latest) ?? kept.at(-1) ?? null
}
