/** Folders of untrained models for all roles, small enough for whole runs in a test. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shippedModel } from '../../../src/roles/shipped-models.ts'
import { WORLD_NAMES } from '../../../src/worlds/index.ts'
import { ROLES } from '../../../src/method/ports.ts'
import { writeModelFolder } from '../../../src/language-model/files/folder-reader.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { PLAIN, tinyTokenizerJson } from '../../language-model/tiny-model.ts'

/** Creates a folder with `household-policy`, `coding-policy` and so on. The caller removes it. */
export async function writeTinyModels(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-models-'))
  const config = { ...PLAIN, vocab_size: 270, max_position_embeddings: 8192 }
  for (const [seed, role] of ROLES.entries()) {
    const model = await LanguageModel.fresh(config, tinyTokenizerJson(), seed, 'cpu')
    const files = await model.saveFolder()
    for (const world of WORLD_NAMES) await writeModelFolder(join(folder, shippedModel(world, role)), files)
    await model.dispose()
  }
  return folder
}
