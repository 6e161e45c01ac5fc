/**
 * Another version of WebLLM than ours. `WEBLLM_PACKAGE` names the unpacked folder of one:
 * `npm pack @mlc-ai/web-llm@0.2.85 && tar xzf mlc-ai-web-llm-0.2.85.tgz`, then `WEBLLM_PACKAGE=package`.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import { PINNED_VERSION } from '../../src/engines/webllm/version.ts'
import { writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import { difference, loadOurs, TEXT, useWebLlm } from './webllm-client.ts'

const { WEBLLM_PACKAGE } = process.env
const OWN_LIBRARIES = 'v0_2_86/base'

describe.skipIf(WEBLLM_PACKAGE === undefined)('another version of the real WebLLM', () => {
  const folder = resolve(WEBLLM_PACKAGE ?? '.')
  const pages = useWebLlm({ '@mlc-ai/web-llm': folder })

  it('fails with a sentence; taken for ours, it fails with another or samples and learns without what it lacks', async () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    expect(version).not.toBe(PINNED_VERSION)
    await pages.open(SOFTWARE_ADAPTER_FLAGS, async (webLlm) => {
      const source = await pages.keepModel(webLlm)
      const load = async () => {
        const said = await webLlm.call('load', source).then(
          ({ backendDescription }) => `It loads: ${backendDescription}`,
          (error: Error) => error.message.split('\n')[0]!,
        )
        process.stderr.write(`WebLLM ${version}: ${said}\n`)
        return said
      }
      expect(await load()).toContain(`which was not tried. Versions that work: ${PINNED_VERSION}`)

      await webLlm.call('setFaults', { modelVersion: OWN_LIBRARIES })
      const said = await load()
      if (!said.startsWith('It loads')) {
        expect(said).toContain('another version of WebLLM than')
        return
      }
      const ours = await loadOurs()
      const prompt = (await webLlm.call('encode', TEXT)).slice(0, 8)
      const score = async (temperature: number) => {
        const sequence = { prompt: Int32Array.from(prompt.slice(0, 1)), response: Int32Array.from(prompt.slice(1)) }
        const [own] = await ours.logProbs([sequence], temperature)
        const { largest } = difference(`WebLLM ${version}`, await webLlm.call('score', prompt, 1), own!)
        expect(largest).toBeLessThan(1e-4)
      }
      await score(1)
      const name = 'model.norm.weight'
      const norm = (await ours.readWeights([name])).get(name)!
      const tensors = new Map([[name, { shape: [norm.length], values: norm.map((weight) => weight / 2) }]])
      await webLlm.setWeights(writeSafetensors({ metadata: {}, tensors }))
      // Half the last norm is twice the temperature.
      await score(2)
      await ours.dispose()
    })
  })
})
