import { afterAll, expect } from 'vitest'
import { folderReader } from '../../src/language-model/files/folder-reader.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import type { World } from '../../src/method/settings.ts'

/** Loads a world's built-in models, which are small, until the tests end. */
export function useShipped(world: World, mostBytes: number): (role: string) => Promise<LanguageModel> {
  const models: LanguageModel[] = []
  afterAll(() => Promise.all(models.map((model) => model.dispose())))
  return async (role) => {
    const model = await LanguageModel.load(folderReader(`public/models/${world}-${role}`), 'cpu')
    models.push(model)
    expect(4 * model.parameterCount).toBeLessThan(mostBytes)
    return model
  }
}
