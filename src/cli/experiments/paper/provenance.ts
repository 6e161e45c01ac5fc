/** Which code and which weights results come from. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROLES } from '../../../method/ports.ts'
import { LEARNING_ROLES } from '../../../roles/learning.ts'
import { EARLY_JUDGE, sharedModel, shippedModel } from '../../../roles/shipped-models.ts'
import { SHIPPED_WORLDS } from '../../../worlds/index.ts'
import { ArgumentError } from '../../arguments.ts'
import { readShippedTrajectories } from '../../loop/shipped-trajectories.ts'

/** What results depend on besides the models, whose weights are hashed. */
const SOURCES = ['src', 'package-lock.json']
const HASH_DIGITS = 16
export const UNKNOWN_COMMIT = 'unknown'

/** "1a2b3c4", with "+changes" for changed sources; "unknown" outside of a repository. */
export function currentCommit(root: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const commit = git('rev-parse', '--short=10', 'HEAD').trim()
    return git('status', '--porcelain', '--', ...SOURCES).trim() === '' ? commit : `${commit}+changes`
  } catch {
    return UNKNOWN_COMMIT
  }
}

/**
 * SHA-256 of what runs depend on besides the code: the built-in models' weights and the trajectories that measure the judge by
 * name, and each start policy by its folder, an absolute path. `shared` is the folder of the models that worlds share, if they play. Throws ArgumentError.
 */
export async function hashInputs(
  models: string,
  starts: readonly string[],
  needsEarlyJudge: boolean,
  shared: string | null = null,
): Promise<Record<string, string>> {
  const names = SHIPPED_WORLDS.flatMap((world) => ROLES.map((role) => shippedModel(world, role)))
  if (needsEarlyJudge) names.push(EARLY_JUDGE)
  const folders = [...new Set(names)].map((name): [string, string] => [name, join(models, name)])
  if (shared !== null) {
    for (const name of LEARNING_ROLES.map(sharedModel)) {
      if (!existsSync(join(shared, name)))
        throw new ArgumentError(`${shared} has no model ${name}. Make it with npm run pretrain -- --world shared.`)
      folders.push([name, join(shared, name)])
    }
  }
  const hashes = await Promise.all(
    [...folders, ...starts.map((folder): [string, string] => [folder, folder])].map(
      async ([name, folder]): Promise<[string, string]> => [name, await hashWeights(folder)],
    ),
  )
  const trajectories = SHIPPED_WORLDS.map(async (world): Promise<[string, string]> => {
    return [`${world}-trajectories`, hashOf(await readShippedTrajectories(world))]
  })
  return Object.fromEntries([...hashes, ...(await Promise.all(trajectories))])
}

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_DIGITS)
}

async function hashWeights(folder: string): Promise<string> {
  const path = join(folder, 'model.safetensors')
  try {
    return hashOf(await readFile(path))
  } catch (cause) {
    throw new ArgumentError(`There is no model in ${folder}: ${path} cannot be read.`, { cause })
  }
}
