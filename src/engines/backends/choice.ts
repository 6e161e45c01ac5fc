/**
 * Chooses the backend of a run. With `auto` and a real graphics adapter, measures both on a small generation and update of the
 * policy, after a warm-up that compiles kernels, and takes the faster one. A software adapter is a slower CPU, so it is not
 * measured.
 */
import { type BackendName, BACKENDS } from '../../language-model/backends/backend.ts'
import type { LanguageModelPort } from '../../method/ports.ts'
import { errorText } from '../../threads/error-text.ts'

export interface BackendChoice {
  backend: BackendName
  /** A sentence for display. */
  why: string
  /** Tokens sampled and trained per second, if measured. */
  tokensPerSecond: Partial<Record<BackendName, number>>
}

export interface ChoiceOptions {
  wish: 'auto' | BackendName
  /** Why WebGPU cannot be used here; null if it can be tried. */
  findObstacle: () => Promise<string | null>
  /** Tokens per second of the policy on a backend; rejects if it cannot run. Null for models too large to load twice. */
  measure: ((backend: BackendName) => Promise<number>) | null
}

const NAMES: Record<BackendName, string> = { cpu: 'the CPU', webgpu: 'WebGPU' }

export async function chooseBackend({ wish, findObstacle, measure }: ChoiceOptions): Promise<BackendChoice> {
  if (wish !== 'auto') return { backend: wish, why: `You chose ${NAMES[wish]}.`, tokensPerSecond: {} }
  const obstacle = await findObstacle()
  if (obstacle !== null) return { backend: 'cpu', why: obstacle, tokensPerSecond: {} }
  const tokensPerSecond: BackendChoice['tokensPerSecond'] = {}
  if (measure === null) {
    return { backend: 'webgpu', why: 'Checkpoints are too large to measure first.', tokensPerSecond }
  }
  // One after the other, because at the same time each would slow down the other.
  for (const backend of BACKENDS) {
    try {
      tokensPerSecond[backend] = await measure(backend)
    } catch (error) {
      if (backend === 'cpu') throw error
      const reason = errorText(error)
      return { backend: 'cpu', why: `WebGPU could not be used: ${reason}`, tokensPerSecond }
    }
  }
  const { cpu = 0, webgpu = 0 } = tokensPerSecond
  const backend = webgpu > cpu ? 'webgpu' : 'cpu'
  return { backend, why: `Measured here, ${NAMES[backend]} is faster for this model.`, tokensPerSecond }
}

/** Why a browser cannot use WebGPU; null if it can be tried. */
export async function webGpuObstacle(gpu: GPU | undefined, { acceptsSoftware = false } = {}): Promise<string | null> {
  if (!gpu) return 'This browser has no WebGPU.'
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)
  if (!adapter) return 'WebGPU offers no graphics adapter here.'
  if (acceptsSoftware) return null
  const info = adapter.info as GPUAdapterInfo | undefined
  const isSoftware = info?.isFallbackAdapter === true || /swiftshader|llvmpipe|basic render/i.test(describe(info))
  return isSoftware ? 'The graphics adapter here is software, which is slower than the CPU backend.' : null
}

function describe(info: GPUAdapterInfo | undefined): string {
  return info ? [info.vendor, info.architecture, info.device, info.description].join(' ') : ''
}

const PROMPT = 'You are in the middle of a room. Looking around you, you see a desk, a shelf and a drawer.'

/** Tokens sampled and trained per second, after compiling kernels. Changes the weights, so use a separate model. */
export async function measureModel(model: LanguageModelPort, now: () => number): Promise<number> {
  const [prompt] = await model.encode([PROMPT])
  const round = async (seed: number): Promise<number> => {
    const requests = [{ prompt: prompt!, count: 16, seed }]
    const [completions] = await model.generate(requests, { temperature: 1, topP: 1, maxTokens: 32 })
    const examples = completions!.map(({ tokens, logProbs }, i) => ({
      prompt: prompt!,
      response: tokens,
      oldLogProbs: logProbs,
      advantage: i % 2 === 0 ? 1 : -1,
    }))
    const { trainedTokens } = await model.update(examples, {
      learningRate: 1e-6,
      clipRatioLow: 0.2,
      clipRatioHigh: 0.2,
      klCoefficient: 0,
      klEstimator: 'k3',
      lossAggregation: 'token-mean',
      temperature: 1,
      updatesPerIteration: 1,
      maxGradNorm: 1,
      weightDecay: 0,
    })
    return trainedTokens + examples.reduce((sum, { response }) => sum + response.length, 0)
  }
  await round(1)
  const start = now()
  const tokens = await round(2)
  return tokens / Math.max(1e-3, (now() - start) / 1000)
}
