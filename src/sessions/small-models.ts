/**
 * Models of one's own that are as small as the shipped ones, such as those of a world from a file. They are quick to load, so they
 * are measured to choose a backend, and several workers sample with them.
 */
import { readModelConfig } from '../language-model/files/model-folder.ts'
import { weightBytes } from '../language-model/weights/weight-storage.ts'
import { ROLES, type Role } from '../method/ports.ts'
import { modelFiles } from '../engines/transformer/model-files.ts'
import type { RoleSource } from '../roles/source.ts'

/** Shipped models have about a third as many, and SmolLM2 135M a hundred times as many. */
const MOST_PARAMETERS = 1_000_000

/** Roles whose model is a small folder that trains in full. Reads the config.json of such folders. */
export async function smallRoles(sources: Record<Role, RoleSource>): Promise<ReadonlySet<Role>> {
  const small = await Promise.all(ROLES.map((role) => isSmall(sources[role])))
  return new Set(ROLES.filter((_, index) => small[index]))
}

async function isSmall(source: RoleSource): Promise<boolean> {
  if (source.kind !== 'checkpoint' || source.adapters || source.storage !== 'float32' || source.sampler) return false
  try {
    const config = await readModelConfig(await modelFiles(source.location))
    return weightBytes(config, 'float32') / 4 <= MOST_PARAMETERS
  } catch {
    // Opening the model fails for the same reason, and says which role it is for.
    return false
  }
}
