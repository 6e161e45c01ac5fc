import { describe, expect, it } from 'vitest'
import { foundRecords } from '../../../src/engines/webllm/found-models.ts'
import type { CacheScope, ModelFiles } from '../../../src/engines/webllm/model-files.ts'

/** A cache with separate scopes. */
function cache(entries: Record<CacheScope, Record<string, string>>): ModelFiles {
  const bytes = (text: string) => new TextEncoder().encode(text)
  return {
    read: async (scope, address) => bytes(entries[scope][address]!),
    list: async (scope) => Object.entries(entries[scope]).map(([address, { length }]) => ({ address, bytes: length })),
    write: () => Promise.reject(new Error('nothing is written')),
    remove: () => Promise.reject(new Error('nothing is removed')),
  }
}

const KNOWN = { model_id: 'known', model: 'https://a.test/owner/known', model_lib: 'https://a.test/known.wasm' }
const LOCAL = 'https://site.test/local-models/my%20model/resolve/main/'
const LEFT = 'https://b.test/owner/known/resolve/main/'

describe('unlisted models in the cache', () => {
  it('are those of folders, which can run, and those of unknown addresses, which can be deleted', async () => {
    const files = cache({
      'webllm/config': {
        'https://a.test/owner/known/resolve/main/mlc-chat-config.json': '{"quantization":"q0f16"}',
        [`${LOCAL}mlc-chat-config.json`]: '{"quantization":"q0f16"}',
        [`${LOCAL}tokenizer_config.json`]: '{}',
        [`${LEFT}mlc-chat-config.json`]: '{"quantization":"q4f32_1"}',
      },
      'webllm/model': {},
      'webllm/wasm': { [`${LOCAL}lib.wasm`]: 'x', 'https://a.test/known.wasm': 'x' },
    })
    expect(await foundRecords(files, [KNOWN])).toEqual([
      { model_id: 'my model', model: LOCAL, model_lib: `${LOCAL}lib.wasm`, required_features: ['shader-f16'] },
      // Another model has its name.
      { model_id: LEFT, model: LEFT, model_lib: '', required_features: [] },
    ])
  })

  it('are found by a damaged description, so that they can be deleted', async () => {
    const files = cache({
      'webllm/config': { [`${LEFT}mlc-chat-config.json`]: '<!doctype html>' },
      'webllm/model': {},
      'webllm/wasm': {},
    })
    expect(await foundRecords(files, [])).toEqual([
      { model_id: 'known', model: LEFT, model_lib: '', required_features: [] },
    ])
  })
})
