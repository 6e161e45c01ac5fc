/** Names a version of a world's models by what its files hold. Loaded once there are models. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isRead } from '../../../engines/transformer/local-folders.ts'
import type { ModelFiles } from './world-models.ts'

/** "my-world.models@1a2b3c4d": the same for the same files of models, in any order and beside any others. */
export async function versionName(folder: string, models: ModelFiles): Promise<string> {
  const files = [...models].flatMap(([model, each]) =>
    each.filter(({ name }) => isRead(name)).map((file) => ({ path: `${model}/${file.name}`, file })),
  )
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  const hash = sha256.create()
  for (const { path, file } of files)
    hash.update(utf8ToBytes(`${path} ${file.size}\n`)).update(new Uint8Array(await file.arrayBuffer()))
  return `${folder}@${bytesToHex(hash.digest()).slice(0, 8)}`
}
