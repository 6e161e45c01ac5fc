/**
 * Checks that a checkpoint gives the same results on WebGPU and on the CPU. Models are tiny, because Chromium's
 * software adapter is slow.
 */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import type { BackendName } from '../../src/language-model/backends/backend.ts'
import { float16FromFloat32, float32FromFloat16 } from '../../src/language-model/weights/half-precision.ts'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import type { SamplingOptions, UpdateMetrics } from '../../src/method/ports.ts'
import { expectClose, type Matrix, matrix } from '../language-model/ops/on-both-backends.ts'
import {
  addCases,
  addLowRankCases,
  attentionCases,
  type Case,
  gatherRowsCases,
  matMulCases,
  optimisations,
  rmsNormCases,
  ropeCases,
  selectedLogProbsCases,
  swigluCases,
} from '../language-model/ops/webgpu-cases.ts'
import { type RemoteModel, useLanguageModels } from './language-models.ts'
import {
  adapterOf,
  CONFIG,
  EXAMPLES,
  largestDifference,
  LORA,
  momentsOf,
  opening,
  relativeError,
  requestsOf,
  SIZES,
  throughFourBits,
  UPDATE,
} from './tiny-checkpoint.ts'

const BOTH = ['cpu', 'webgpu'] as const satisfies readonly BackendName[]

const SAMPLING: SamplingOptions = { temperature: 1, topP: 1, maxTokens: 1 }

describe('a checkpoint on webgpu and on the cpu', () => {
  const open = useLanguageModels(SOFTWARE_ADAPTER_FLAGS)
  let missing: string | null = null
  let adapterFeatures: string[] = []
  let on: (backend: BackendName) => RemoteModel
  /** Weights and moments after a few updates, so that norms are not 1, biases not 0, and moments not 0. */
  let checkpoint: Uint8Array
  /** The same weights alone. */
  let weights: Uint8Array

  beforeAll(async () => {
    const opened = await open()
    const adapter = await adapterOf(opened.page)
    missing = adapter.missing
    if (missing !== null) return
    adapterFeatures = adapter.features
    on = opened.on
    for (const backend of BOTH) {
      await on(backend).select(backend)
      await on(backend).open(CONFIG, 1, SIZES)
    }
    for (let step = 0; step < 4; step++) await on('cpu').fit(EXAMPLES, { learningRate: 0.02 })
    checkpoint = await on('cpu').saveCheckpoint()
    weights = await on('cpu').saveWeights()
  })

  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''))

  it('gives the same logits to 1e-3', async () => {
    const [cpu, webgpu] = await onBoth((model) => model.logits(checkpoint, EXAMPLES))
    expect(cpu).toHaveLength(64 * 18)
    expect(magnitude(cpu)).toBeGreaterThan(1)
    expect(largestDifference(cpu, webgpu)).toBeLessThanOrEqual(1e-3)
  })

  it('gives the same gradients of the policy loss to 1 %, parameter by parameter', async () => {
    const [cpu, webgpu] = await onBoth(async (model) => {
      // After the first update of a fresh optimiser the first moment is (1 - β₁) times the gradient.
      await model.loadCheckpoint(weights)
      const { grad_norm } = await model.update(EXAMPLES, { ...UPDATE, maxGradNorm: 1e9 })
      return { grad_norm, gradients: momentsOf(await model.saveCheckpoint()) }
    })
    expect(cpu.gradients.size).toBe(2 * 15 + 2)
    for (const [name, gradient] of cpu.gradients)
      expect(relativeError(gradient, webgpu.gradients.get(name)!), name).toBeLessThanOrEqual(0.01)
    expect(Math.abs(cpu.grad_norm / webgpu.grad_norm - 1)).toBeLessThanOrEqual(0.01)
  })

  it('has the same weights after an update that continues from the moments', async () => {
    const [cpu, webgpu] = await onBoth(async (model) => {
      await model.loadCheckpoint(checkpoint)
      const metrics = await model.update(EXAMPLES, UPDATE)
      return { metrics, ...readSafetensors(await model.saveCheckpoint(), 'updated') }
    })
    const before = readSafetensors(checkpoint, 'before').tensors
    for (const [name, { values }] of cpu.tensors) {
      expect(largestDifference(values, before.get(name)!.values), name).toBeGreaterThan(0)
      const difference = largestDifference(values, webgpu.tensors.get(name)!.values)
      expect(difference, name).toBeLessThanOrEqual(0.01 * UPDATE.learningRate)
    }
    expect(webgpu.metadata).toEqual(cpu.metadata)
    for (const [name, value] of Object.entries(cpu.metrics) as [keyof UpdateMetrics, number][])
      expect(webgpu.metrics[name], name).toBeCloseTo(value, 3)
  })

  it('has the same adapter gradients with recomputed activations and dropout', async () => {
    const [cpu, webgpu] = await onBoth(async (model) => {
      await model.open(CONFIG, 1, { ...SIZES, recomputeActivations: true })
      await model.loadCheckpoint(weights)
      await model.attachAdapters(LORA, 1)
      const metrics: UpdateMetrics[] = []
      // B starts at 0, so A has a gradient from the second step on.
      for (let step = 0; step < 2; step++) metrics.push(await model.update(EXAMPLES, { ...UPDATE, learningRate: 0.01 }))
      const gradients = momentsOf(await model.saveCheckpoint())
      await model.open(CONFIG, 1, SIZES)
      return { metrics, gradients }
    })
    expect(cpu.gradients.size).toBe(2 * 2 * LORA.targets.length)
    for (const [name, gradient] of cpu.gradients) {
      expect(magnitude(gradient), name).toBeGreaterThan(0)
      expect(relativeError(gradient, webgpu.gradients.get(name)!), name).toBeLessThanOrEqual(0.01)
    }
    for (const [step, { grad_norm }] of cpu.metrics.entries())
      expect(Math.abs(webgpu.metrics[step]!.grad_norm / grad_norm - 1)).toBeLessThanOrEqual(0.01)
  })

  it('writes the same greedy completions, also if a prompt continues from the cache', async () => {
    const [cpu, webgpu] = await onBoth(async (model) => {
      await model.loadCheckpoint(weights)
      const ask = async (prompts: number[][]) => {
        const completions = await model.generate(requestsOf(prompts), { temperature: 0, topP: 1, maxTokens: 5 })
        return completions.map(([completion]) => completion!)
      }
      const first = await ask([opening, [...opening, 21, 13], [7, 55]])
      const next = await ask([[...opening, ...first[0]!.tokens, 44, 45]])
      return [...first, ...next]
    })
    expect(webgpu.map(({ tokens }) => tokens)).toEqual(cpu.map(({ tokens }) => tokens))
    for (const [i, { logProbs }] of cpu.entries())
      expect(largestDifference(logProbs, webgpu[i]!.logProbs)).toBeLessThanOrEqual(1e-3)
  })

  it('leaks no tensors over iterations', async () => {
    const model = on('webgpu')
    const iterate = async () => {
      const prompt = Int32Array.from(opening)
      await model.generate([{ prompt, count: 2, seed: 3 }], { temperature: 1, topP: 0.9, maxTokens: 3 })
      await model.update(EXAMPLES, UPDATE)
      return model.memory()
    }
    const after = await iterate()
    expect(await iterate()).toEqual(after)
  })

  it.each([
    ['rmsNorm', rmsNormCases()],
    ['rope', ropeCases()],
    ['swiglu', swigluCases()],
    ['attention', attentionCases()],
    ['matMul', matMulCases()],
    ['add', addCases()],
    ['addLowRank', addLowRankCases()],
    ['gatherRows', gatherRowsCases()],
    ['selectedLogProbs', selectedLogProbsCases()],
  ])('computes the same %s over random shapes, forward and backward', async (_name, cases) => {
    await evaluateOnBoth(cases)
  })

  it('computes the same selectedLogProbs a few rows at a time', async () => {
    await on('webgpu').limitLogits(450)
    try {
      await evaluateOnBoth(selectedLogProbsCases().slice(0, 5))
    } finally {
      await on('webgpu').limitLogits(1 << 24)
    }
  })

  it.for([true, false])(
    'multiplies wide rows with the same results, with subgroups: %s',
    async (subgroups, { skip }) => {
      skip(subgroups && !adapterFeatures.includes('subgroups'), 'This adapter has no subgroups.')
      const wide = matMulCases().filter(({ inputs: [a] }) => a!.shape.length === 2 && a!.shape[1]! >= 300)
      const { results, programs } = await on('webgpu').evaluateWith(subgroups, wide)
      expect(programs.some((name) => name.endsWith('subgroups'))).toBe(subgroups)
      expectAlike(wide, await on('cpu').evaluate(wide), results)
    },
  )

  it.each([
    { rows: 3, inner: 300 },
    { rows: 40, inner: 36 },
  ])('can read weights in half precision: $rows rows', async ({ rows, inner }) => {
    const inHalf = ({ values, shape }: Matrix): Matrix => ({
      shape,
      values: float32FromFloat16(float16FromFloat32(values)),
    })
    const [x, w, dy] = [matrix(1, rows, inner), inHalf(matrix(2, 20, inner)), matrix(3, rows, 20)]
    const { before, after, changed, programs } = await on('webgpu').productsInHalf(x, w, dy)
    expect(programs.filter((name) => name.includes('half'))).toHaveLength(3)
    const expected = async (weight: Matrix) => {
      const operation = { name: 'matMul', transposeA: false, transposeB: true } as const
      const [results] = await on('cpu').evaluate([{ operation, inputs: [x, weight], dy, tolerance: 0, floor: 0 }])
      return results!.slice(0, 2)
    }
    for (const [i, values] of (await expected(w)).entries())
      expectClose(before[i]!, values, 1e-5, 'with the first weight', Math.sqrt(inner))
    // Devices may round up or down.
    for (const [i, values] of (await expected({ shape: w.shape, values: changed })).entries()) {
      expectClose(after[i]!, values, 2 ** -10, 'with the changed weight', Math.sqrt(inner))
      expect(largestDifference(after[i]!, before[i]!)).toBeGreaterThan(0.1)
      expect(largestDifference(after[i]!, values)).toBeGreaterThan(1e-5)
    }
  })

  it.each([
    { rows: 3, outputs: 23, inner: 320 },
    { rows: 40, outputs: 45, inner: 96 },
    { rows: 64, outputs: 128, inner: 64 },
    { rows: 300, outputs: 300, inner: 32 },
  ])('reads weights in four bits: $rows rows, $outputs × $inner', async ({ rows, outputs, inner }) => {
    const [x, w, dy] = [matrix(1, rows, inner), matrix(2, outputs, inner), matrix(3, rows, outputs)]
    const indices = Int32Array.of(outputs - 1, 0, 7, 7)
    const { results, programs } = await on('webgpu').productsInFourBits(x, w, dy, indices)
    expect(programs.filter((name) => name.includes('four bits'))).toHaveLength(3)
    expect(programs).not.toContain('unpack four bits')
    const floats = throughFourBits(w)
    const operation = { name: 'matMul', transposeA: false, transposeB: true } as const
    const [products] = await on('cpu').evaluate([{ operation, inputs: [x, floats], dy, tolerance: 0, floor: 0 }])
    const gathered = Array.from(indices, (row) => [...floats.values.subarray(row * inner, (row + 1) * inner)]).flat()
    const expected = [...products!.slice(0, 2), gathered, floats.values]
    for (const [i, values] of expected.entries())
      expectClose(results[i]!, values, 1e-5, `result ${i}`, Math.sqrt(inner))
  })

  it('takes the same AdamW steps, clipped by the same norm', async () => {
    const runs = optimisations()
    const [cpu, webgpu] = await onBoth((model) => model.optimise(runs))
    for (const [i, results] of cpu.entries()) {
      expect(webgpu[i]!.length).toBe(results.length)
      // Adam divides by the square root of the second moment, so even a tiny gradient makes a full step.
      for (const [at, expected] of results.entries()) expectClose(webgpu[i]![at]!, expected, 1e-4, `result ${at}`)
    }
  })

  it('does not change a clone when AdamW changes the parameter in place', async () => {
    const [parameter, clone] = await on('webgpu').stepBesideClone({ shape: [3], values: Float32Array.of(1, 2, 3) })
    expect(clone).toEqual(Float32Array.of(1, 2, 3))
    expectClose(parameter, [0.5, 1.5, 2.5], 1e-5, 'the parameter')
  })

  it('submits a decode step once', async () => {
    const requests = requestsOf([opening, [7, 55]], 2)
    const count = async (maxTokens: number) => {
      const { completions, count } = await on('webgpu').generateCounted(requests, { ...SAMPLING, maxTokens })
      expect(completions.flat().map(({ tokens }) => tokens.length)).toContain(maxTokens)
      return count
    }
    await count(4)
    const [three, four] = [await count(3), await count(4)]
    expect(four.submissions - three.submissions).toBe(1)
    expect(four.computePasses - three.computePasses).toBe(1)
    // Per layer: 2 norms and those of queries and keys; 4 products, as weights that read the same rows share one; biases; rotation and
    // cache; attention; gated activation; 2 residuals. Then embedding, a copy of it, norm and logits.
    expect(four.dispatches - three.dispatches).toBe(2 * (2 + 2 + 4 + 1 + 1 + 1 + 1 + 2) + 4)
  })

  it.each([
    { limits: {}, submissions: 1 },
    { limits: { mostDispatches: 100 }, submissions: 6 },
    // A pending sum has 8000 bytes.
    { limits: { mostWaitingBytes: 1e6 }, submissions: 4 },
  ])('submits before it exceeds a limit of recorded commands: $limits', async ({ limits, submissions }) => {
    const pair: [Matrix, Matrix] = [matrix(1, 2000), { shape: [1], values: Float32Array.of(1) }]
    const added = await on('webgpu').addRepeatedly(pair, 500, limits)
    expect(added.submissions).toBe(submissions)
    const expected = pair[0].values.map((value) => value + 500)
    expectClose(added.sum, expected, 1e-4, 'the sum')
  })

  it.each([8, 6])('writes the same rows of %i into a pool', async (width) => {
    const writes = [
      { rows: matrix(2, 3, width), slots: Int32Array.from([4, 0, 7]) },
      { rows: matrix(3, 2, width), slots: Int32Array.from([1, 4]) },
    ]
    const [cpu, webgpu] = await onBoth((model) => model.writeTwice(matrix(1, 9, width), writes))
    expect(webgpu).toEqual(cpu)
  })

  it('draws from many words on the device, as the CPU does from logits that it reads', async () => {
    const draw = async (backend: BackendName, temperature: number) => {
      const model = on(backend)
      await model.open({ ...CONFIG, vocab_size: 9001 }, 1, SIZES)
      const requests = [opening, [7, 55], [...opening, 21]].map((prompt, seed) => ({
        prompt: Int32Array.from(prompt),
        count: 3,
        seed,
      }))
      const sampling = { temperature, topP: 1, maxTokens: 6 }
      if (backend === 'cpu') return { completions: (await model.generate(requests, sampling)).flat(), programs: [] }
      const { completions, count } = await model.generateCounted(requests, sampling)
      return { completions: completions.flat(), programs: Object.keys(count.byProgram) }
    }
    for (const temperature of [0, 1]) {
      const [cpu, webgpu] = [await draw('cpu', temperature), await draw('webgpu', temperature)]
      expect(webgpu.programs).toContain('draw a token')
      expect(webgpu.completions.map(({ tokens }) => tokens)).toEqual(cpu.completions.map(({ tokens }) => tokens))
      for (const [i, { logProbs, entropies }] of cpu.completions.entries()) {
        expect(largestDifference(logProbs, webgpu.completions[i]!.logProbs)).toBeLessThanOrEqual(1e-3)
        expect(largestDifference(entropies, webgpu.completions[i]!.entropies)).toBeLessThanOrEqual(1e-3)
      }
    }
    for (const backend of BOTH) await on(backend).open(CONFIG, 1, SIZES)
  })

  it('causes no device errors in all that', async () => {
    expect(await on('webgpu').deviceErrors()).toEqual([])
  })

  it.each([
    { how: 'lose', said: 'was lost (destroyed' },
    { how: 'refuse', said: 'refused a command' },
  ] as const)('fails the next call instead of computing wrong results: $how', async ({ how, said }) => {
    // The last test breaks the device of all others, whose kernels are compiled.
    const model = how === 'refuse' ? on('webgpu') : (await open()).on('webgpu')
    if (how === 'lose') await model.select('webgpu')
    await model.open(CONFIG, 1, SIZES)
    const answer = () =>
      model.generate([{ prompt: Int32Array.from(opening), count: 1, seed: 1 }], SAMPLING).then(
        () => 'completions',
        (error: Error) => error.message,
      )
    expect(await answer()).toBe('completions')
    await model.breakDevice(how)
    // Another process reports the lost device, at any later time.
    await expect.poll(answer).toContain(`GraphicsDeviceError: The graphics device ${said}`)
  })

  async function evaluateOnBoth(cases: Case[]): Promise<void> {
    expectAlike(cases, ...(await onBoth((model) => model.evaluate(cases))))
  }

  async function onBoth<T>(ask: (model: RemoteModel) => Promise<T>): Promise<[cpu: T, webgpu: T]> {
    return [await ask(on('cpu')), await ask(on('webgpu'))]
  }
})

function expectAlike(cases: Case[], cpu: Float32Array[][], webgpu: Float32Array[][]): void {
  expect(webgpu.length).toBe(cases.length)
  for (const [i, { inputs, tolerance, floor }] of cases.entries()) {
    const shapes = inputs.map(({ shape }) => shape.join('×')).join(', ')
    expect(webgpu[i]!.length).toBe(inputs.length + 1)
    for (const [at, expected] of cpu[i]!.entries()) {
      const what = at === 0 ? 'the value' : `the gradient of input ${at}`
      expectClose(webgpu[i]![at]!, expected, tolerance, `${what} for ${shapes}`, floor)
    }
  }
}

const magnitude = (values: Float32Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
