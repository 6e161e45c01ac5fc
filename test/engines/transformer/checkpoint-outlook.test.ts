import { createServer } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import {
  judgeCheckpoint,
  lookAtCheckpoint,
  type CheckpointLimits,
} from '../../../src/engines/transformer/checkpoint-outlook.ts'
import { estimateCheckpoint, type CheckpointUse } from '../../../src/engines/transformer/memory.ts'
import { parseModelConfig, type ModelConfig } from '../../../src/language-model/files/config.ts'
import { parameterShapes } from '../../../src/language-model/weights/parameters.ts'
import { writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import { PLAIN } from '../../language-model/tiny-model.ts'
import { listening, type LocalServer } from '../../local-server.ts'

/** 26 MB in half precision, far more than a socket buffers. */
const LARGE = { ...PLAIN, hidden_size: 64, vocab_size: 200_000 }
const CONFIG = parseModelConfig(LARGE, 'large')
const SMALL = parseModelConfig(PLAIN, 'small')
const sizeOf = ({ shape }: { shape: readonly number[] }) => shape.reduce((a, b) => a * b, 1)
const countOf = (config: ModelConfig) => parameterShapes(config).reduce((sum, shape) => sum + sizeOf(shape), 0)
const namesOf = (config: ModelConfig) => parameterShapes(config).map(({ name }) => name)

/** In half precision, all zero. */
function file(config: ModelConfig, names: readonly string[]): Uint8Array {
  const shapes = parameterShapes(config).filter(({ name }) => names.includes(name))
  const tensors = new Map(
    shapes.map(({ name, shape }) => [name, { shape, values: new Float32Array(sizeOf({ shape })) }]),
  )
  return writeSafetensors({ metadata: {}, tensors }, 'F16')
}

let server: LocalServer
const PIECE = 1 << 16

/** Serves files; `sent` has the bytes of each that were read, `closed` the names of finished requests. */
async function serve(files: Record<string, Uint8Array | object>) {
  const sent = new Map<string, number>()
  const closed = new Set<string>()
  const hub = createServer((request, response) => {
    const name = request.url!.split('/').at(-1)!
    const content = files[name]
    if (content === undefined) return void response.writeHead(404).end()
    const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content))
    response.writeHead(200, { 'content-length': bytes.length })
    const pieces = function* () {
      for (let at = 0; at < bytes.length; at += PIECE) {
        yield bytes.subarray(at, at + PIECE)
        sent.set(name, Math.min(bytes.length, at + PIECE))
      }
    }
    response.on('close', () => closed.add(name))
    pipeline(Readable.from(pieces()), response, () => {})
  })
  server = await listening(hub)
  return { sent, closed, location: `${server.address}/owner/large/` }
}

describe('looking at a checkpoint', () => {
  afterEach(() => server.close())

  it('reads its size from the header of its file, and no further', async () => {
    const weights = file(CONFIG, namesOf(CONFIG))
    expect(weights.length).toBeGreaterThan(10e6)
    const { location, sent, closed } = await serve({ 'config.json': LARGE, 'model.safetensors': weights })
    const outlook = await lookAtCheckpoint(location)
    expect(outlook).toMatchObject({ name: 'large', parameters: countOf(CONFIG), fileBytes: 2 * countOf(CONFIG) })
    await expect.poll(() => closed.has('model.safetensors')).toBe(true)
    expect(sent.get('model.safetensors')).toBeLessThan(weights.length / 2)
  })

  it('adds up shards, and reports missing ones', async () => {
    const names = namesOf(SMALL)
    const [first, second] = [names.slice(0, 3), names.slice(3)]
    const weight_map = Object.fromEntries(
      names.map((name) => [name, first.includes(name) ? 'a.safetensors' : 'b.safetensors']),
    )
    const files = {
      'config.json': PLAIN,
      'model.safetensors.index.json': { weight_map },
      'a.safetensors': file(SMALL, first),
      'b.safetensors': file(SMALL, second),
    }
    expect((await lookAtCheckpoint((await serve(files)).location)).fileBytes).toBe(2 * countOf(SMALL))
    await server.close()
    const cut = await serve({ ...files, 'b.safetensors': file(SMALL, second.slice(1)) })
    await expect(lookAtCheckpoint(cut.location)).rejects.toThrow(second[0])
  })
})

describe('whether a checkpoint fits', () => {
  const use: CheckpointUse = {
    adapters: { rank: 4, alpha: 8, dropout: 0, targets: ['q_proj'] },
    storage: 'float32',
    contextWindow: 2048,
    isTrained: true,
  }
  const roomy: CheckpointLimits = { backend: 'webgpu', budgetBytes: 4e9, maxStorageBufferBindingSize: 2e9 }
  const embedding = 4 * 200_000 * 64

  it('compares its memory with the budget', () => {
    expect(judgeCheckpoint(CONFIG, use, roomy)).toMatchObject({ fits: true, change: null, tooLarge: null })
    const budgetBytes = estimateCheckpoint(CONFIG, use).total - 1
    const verdict = judgeCheckpoint(CONFIG, use, { ...roomy, budgetBytes })
    expect(verdict).toMatchObject({ fits: false, limitBytes: budgetBytes })
    expect(judgeCheckpoint(CONFIG, verdict.change!, { ...roomy, budgetBytes }).fits).toBe(true)
    // The CPU has its own limit, and no buffers to bind.
    const onCpu = judgeCheckpoint(CONFIG, use, { backend: 'cpu', budgetBytes: 0, maxStorageBufferBindingSize: 0 })
    expect(onCpu).toMatchObject({ fits: true, limitBytes: 2 ** 32 })
  })

  it('compares its largest tensor with the largest buffer, which only four bits can fit', () => {
    const limits = { ...roomy, maxStorageBufferBindingSize: embedding - 1 }
    const verdict = judgeCheckpoint(CONFIG, use, limits)
    expect(verdict).toMatchObject({ fits: false, tooLarge: embedding, change: { ...use, storage: 'four-bit' } })
    expect(judgeCheckpoint(CONFIG, verdict.change!, limits).fits).toBe(true)
    expect(judgeCheckpoint(CONFIG, { ...use, storage: 'float16' }, limits).tooLarge).toBe(embedding)
    // All weights can be trained only in float32.
    expect(judgeCheckpoint(CONFIG, { ...use, adapters: null }, limits).change).toBeNull()
    expect(judgeCheckpoint(CONFIG, use, { ...limits, maxStorageBufferBindingSize: 1e6 }).change).toBeNull()
  })
})
