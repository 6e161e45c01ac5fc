import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCheckpoint } from '../../src/engines/transformer/checkpoint.ts'
import { TransformerModel } from '../../src/engines/transformer/transformer-model.ts'
import { writeModelFolder } from '../../src/language-model/files/folder-reader.ts'
import { readSafetensors, SafetensorsError, writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import type { LoraOptions } from '../../src/language-model/lora/options.ts'
import type { TrainingExample } from '../../src/method/ports.ts'
import { readCheckpointFolder, writeCheckpointFolder } from '../../src/runs/checkpoint-folder.ts'
import { PLAIN, tinyModel, tinyTokenizerJson, useBackend } from '../language-model/tiny-model.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { UPDATE_OPTIONS } from '../language-model/update-options.ts'

const EXAMPLES: TrainingExample[] = [1, -1, 0.5].map((advantage, i) => ({
  prompt: Int32Array.of(5, 6, 7 + i),
  response: Int32Array.of(8, 9 + i),
  oldLogProbs: Float32Array.of(-3, -4),
  advantage,
}))
const LORA: LoraOptions = { rank: 2, alpha: 4, dropout: 0, targets: ['q_proj', 'v_proj'] }
const asked = EXAMPLES.map(({ prompt, response }) => ({ prompt, response }))

describe('a checkpoint on disk', () => {
  let folder: string
  let base: string
  beforeEach(async () => {
    await useBackend('simd')
    folder = mkdtempSync(join(tmpdir(), 'checkpoint-'))
    base = join(folder, 'base')
    const fresh = await LanguageModel.fresh({ ...PLAIN, vocab_size: 270 }, tinyTokenizerJson(), 1, 'selected')
    await writeModelFolder(base, {
      ...(await fresh.saveFolder()),
      'generation_config.json': new TextEncoder().encode('{}'),
    })
    await fresh.dispose()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** A model as `--policy-model` opens it. */
  async function open(location: string, adapters: LoraOptions | null): Promise<TransformerModel> {
    const model = new TransformerModel()
    const use = { adapters, storage: 'float32', contextWindow: null, isTrained: true, adapterSeed: 1 } as const
    await model.load({ location, backend: 'cpu', checkpoint: use })
    return model
  }

  async function logProbs(location: string): Promise<number[]> {
    const use = { adapters: null, storage: 'float32', contextWindow: null, isTrained: false, adapterSeed: 1 } as const
    const { model } = await openCheckpoint({ location, backend: 'cpu', checkpoint: use })
    const values = (await model.logProbs(asked, 1)).flatMap((each) => [...each])
    await model.dispose()
    return values
  }

  /** Policy and reward are the same model here. */
  async function save(model: TransformerModel, place: string, iteration = 1): Promise<Uint8Array> {
    const checkpoint = await model.saveCheckpoint()
    const files = await model.saveFolder()
    const run = { runId: 'r', iteration, eventCount: 7, policy: checkpoint, reward: checkpoint }
    await writeCheckpointFolder(place, run, { policy: files, reward: files }, {})
    return checkpoint
  }

  /** Two iterations, the second from the checkpoint of the first in a new process, so to say. */
  async function resumed(place: string, adapters: LoraOptions | null): Promise<void> {
    const straight = await open(base, adapters)
    await straight.update(EXAMPLES, UPDATE_OPTIONS)
    const checkpoint = await save(straight, place)
    const next = await straight.update(EXAMPLES, UPDATE_OPTIONS)

    const read = (await readCheckpointFolder(place))!
    expect(read).toMatchObject({ runId: 'r', iteration: 1, eventCount: 7 })
    const again = await open(base, adapters)
    await again.loadCheckpoint(read.policy)
    expect(readSafetensors(await again.saveCheckpoint(), 'again')).toEqual(readSafetensors(checkpoint, 'saved'))
    expect(await again.update(EXAMPLES, UPDATE_OPTIONS)).toEqual(next)
    expect(await again.saveCheckpoint()).toEqual(await straight.saveCheckpoint())
    await Promise.all([straight.unload(), again.unload()])
  }

  it.each([
    ['all weights', null],
    ['adapters', LORA],
  ])('continues with the same next iteration: %s', async (_, adapters) => {
    await resumed(join(folder, 'saved'), adapters)
  })

  it('is a model folder with weights alone, which opens with the same log-probabilities', async () => {
    const place = join(folder, 'saved')
    const untrained = await logProbs(base)
    const model = await open(base, null)
    await model.update(EXAMPLES, UPDATE_OPTIONS)
    await save(model, place)
    await model.unload()

    const names = [...readSafetensors(readFileSync(join(place, 'policy', 'model.safetensors')), 'saved').tensors.keys()]
    expect(names.toSorted()).toEqual(
      [...readSafetensors(readFileSync(join(base, 'model.safetensors')), 'base').tensors.keys()].toSorted(),
    )
    expect(readdirSync(join(place, 'reward')).toSorted()).toEqual(readdirSync(base).toSorted())
    const opened = await logProbs(join(place, 'policy'))
    expect(opened).not.toEqual(untrained)
    const trained = await open(base, null)
    await trained.update(EXAMPLES, UPDATE_OPTIONS)
    const again = await trained.saveFolder()
    await trained.unload()
    await writeModelFolder(join(folder, 'again'), again!)
    expect(opened).toEqual(await logProbs(join(folder, 'again')))
  })

  it('merges adapters into the folder, and keeps them beside it to continue', async () => {
    const place = join(folder, 'saved')
    const model = await open(base, LORA)
    await model.update(EXAMPLES, UPDATE_OPTIONS)
    const [sampled] = await model.generate([{ prompt: asked[0]!.prompt, count: 4, seed: 1 }], { temperature: 1, topP: 1, maxTokens: 6 }) // prettier-ignore
    await save(model, place)
    await model.unload()
    const merged = await open(join(place, 'policy'), null)
    const [same] = await merged.generate([{ prompt: asked[0]!.prompt, count: 4, seed: 1 }], { temperature: 1, topP: 1, maxTokens: 6 }) // prettier-ignore
    await merged.unload()
    expect(same!.map(({ tokens }) => tokens)).toEqual(sampled!.map(({ tokens }) => tokens))
    same!.forEach(({ logProbs: values }, i) =>
      values.forEach((value, t) => expect(Math.abs(value - sampled![i]!.logProbs[t]!)).toBeLessThan(1e-4)),
    )
    const { tensors } = readSafetensors(readFileSync(join(place, 'optimizer', 'policy.safetensors')), 'rest')
    expect([...tensors.keys()].every((name) => name.includes('.lora_'))).toBe(true)
    expect([...tensors.keys()].some((name) => name.startsWith('optimizer.exp_avg_sq.'))).toBe(true)
  })

  it('stays whole wherever writing the next one is killed', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    const model = await open(base, null)
    await save(model, first, 1)
    await model.update(EXAMPLES, UPDATE_OPTIONS)
    await save(model, second, 2)
    await model.unload()
    const [before, after] = [await fingerprint(first), await fingerprint(second)]
    expect(before).not.toEqual(after)
    const paths = filesIn(second)
    expect(paths.length).toBeGreaterThan(8)

    for (let written = 0; written <= paths.length; written++) {
      const place = join(folder, `writing-${written}`)
      cpSync(first, place, { recursive: true })
      for (const path of paths.slice(0, written)) put(join(second, path), join(place, '.writing', path))
      expect(await fingerprint(place), `${written} written`).toEqual(before)
      expect(existsSync(join(place, '.writing'))).toBe(false)
    }
    for (let moved = 0; moved <= paths.length; moved++) {
      const place = join(folder, `written-${moved}`)
      cpSync(first, place, { recursive: true })
      for (const path of paths) put(join(second, path), join(place, '.written', path))
      for (const path of paths.slice(0, moved)) renameSync(join(place, '.written', path), join(place, path))
      expect(await fingerprint(place), `${moved} moved`).toEqual(after)
      expect(filesIn(place)).toEqual(paths)
    }
  })

  it('is refused with the file that was cut, by the loader as well', async () => {
    const place = join(folder, 'saved')
    const model = await open(base, null)
    await save(model, place)
    await model.unload()
    const weights = join(place, 'policy', 'model.safetensors')
    const whole = readFileSync(weights)
    writeFileSync(weights, whole.subarray(0, whole.length - 100))
    await expect(readCheckpointFolder(place)).rejects.toThrow(
      `is incomplete: policy/model.safetensors has ${whole.length - 100} bytes instead of ${whole.length}.`,
    )
    await expect(open(join(place, 'policy'), null)).rejects.toThrow(/is 100 bytes short: the file was cut/)
    await expect(open(join(place, 'policy'), null)).rejects.toThrow(SafetensorsError)
    rmSync(weights)
    await expect(readCheckpointFolder(place)).rejects.toThrow('policy/model.safetensors is missing')
    writeFileSync(join(place, 'checkpoint.json'), '{')
    await expect(readCheckpointFolder(place)).rejects.toThrow('is not the index of a checkpoint')
    expect(await readCheckpointFolder(join(folder, 'nowhere'))).toBeNull()
  })

  it('opens as older runs keep it, with weights and moments in one file', async () => {
    const model = await tinyModel()
    const { 'model.safetensors': weights } = await model.saveFolder()
    const { tensors } = readSafetensors(weights, 'weights')
    const old = new Map(tensors)
    for (const [name, { shape, values }] of tensors) {
      old.set(`optimizer.exp_avg.${name}`, { shape, values: values.map((value) => value / 10) })
      old.set(`optimizer.exp_avg_sq.${name}`, { shape, values: values.map((value) => value * value) })
    }
    const file = writeSafetensors({ metadata: { format: 'pt', optimizer_step: '3' }, tensors: old })
    await model.update(EXAMPLES, UPDATE_OPTIONS)
    await model.loadCheckpoint(file)
    const kept = readSafetensors(await model.saveCheckpoint(), 'kept')
    expect(kept.metadata['optimizer_step']).toBe('3')
    expect(kept.tensors).toEqual(old)
    // It is written again in two parts, and whole again.
    const place = join(folder, 'saved')
    const run = { runId: 'r', iteration: 1, eventCount: 7, policy: file, reward: new Uint8Array(0) }
    await writeCheckpointFolder(place, run, { policy: await model.saveFolder(), reward: null }, {})
    const read = (await readCheckpointFolder(place))!
    expect(readSafetensors(read.policy, 'read')).toEqual(readSafetensors(file, 'old'))
    expect(read.reward).toHaveLength(0)
    await model.dispose()
  })
})

/** Comparing the bytes themselves takes seconds. */
async function fingerprint(folder: string): Promise<string> {
  const { iteration, eventCount, policy, reward } = (await readCheckpointFolder(folder))!
  return createHash('sha256').update(`${iteration} ${eventCount}`).update(policy).update(reward).digest('hex')
}

/** Paths of all files, checkpoint.json last, as it is written. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted()
  return [...paths.filter((path) => path !== 'checkpoint.json'), 'checkpoint.json']
}

function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
