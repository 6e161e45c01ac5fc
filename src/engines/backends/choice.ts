/**
 * Which backend computes a run. Where a person leaves it open and there is a real graphics adapter, both are measured on
 * what a run does, one small generation and one update of the policy, each after a warm-up that compiles its kernels;
 * the faster one is taken. A software adapter is the processor again, only slower, so it is not asked.
 */
import { type BackendName, BACKENDS } from '../../language-model/backends/backend.ts'
import type { LanguageModelPort } from '../../method/ports.ts'

export interface BackendChoice {
  backend: BackendName
  /** For people, a sentence. */
  why: string
  /** Tokens sampled and trained per second; only where measured. */
  tokensPerSecond: Partial<Record<BackendName, number>>
}

export interface ChoiceOptions {
  wish: 'auto' | BackendName
  /** Why WebGPU is out of the question here; null where it is worth a try. */
  findObstacle: () => Promise<string | null>
  /** Tokens per second of the policy on a backend; rejects where it cannot run. Null for models too large to be loaded for that. */
  measure: ((backend: BackendName) => Promise<number>) | null
}

const NAMES: Record<BackendName, string> = { cpu: 'the CPU', webgpu: 'WebGPU' }

export async function chooseBackend({ wish, findObstacle, measure }: ChoiceOptions): Promise<BackendChoice> {
  if (wish !== 'auto') return { backend: wish, why: `You chose ${NAMES[wish]}.`, tokensPerSecond: {} }
  const obstacle = await findObstacle()
  if (obstacle !== null) return { backend: 'cpu', why: obstacle, tokensPerSecond: {} }
  const tokensPerSecond: BackendChoice['tokensPerSecond'] = {}
  if (measure === null) {
    return { backend: 'webgpu', why: 'A model of the size of a checkpoint is not measured first.', tokensPerSecond }
  }
  // One after the other, or each would slow the other down.
  for (const backend of BACKENDS) {
    try {
      tokensPerSecond[backend] = await measure(backend)
    } catch (error) {
      if (backend === 'cpu') throw error
      const reason = error instanceof Error ? error.message : String(error)
      return { backend: 'cpu', why: `WebGPU could not be used: ${reason}`, tokensPerSecond }
    }
  }
  const { cpu = 0, webgpu = 0 } = tokensPerSecond
  const backend = webgpu > cpu ? 'webgpu' : 'cpu'
  return { backend, why: `Measured here, ${NAMES[backend]} is the faster one for this model.`, tokensPerSecond }
}

/** What a browser says of its graphics. */
export async function webGpuObstacle(gpu: GPU | undefined): Promise<string | null> {
  if (!gpu) return 'This browser has no WebGPU.'
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)
  if (!adapter) return 'WebGPU offers no graphics adapter here.'
  const info = adapter.info as GPUAdapterInfo | undefined
  const isSoftware = info?.isFallbackAdapter === true || /swiftshader|llvmpipe|basic render/i.test(describe(info))
  return isSoftware ? 'The graphics adapter here is software, which is the CPU again, only slower.' : null
}

function describe(info: GPUAdapterInfo | undefined): string {
  return info ? [info.vendor, info.architecture, info.device, info.description].join(' ') : ''
}

const PROMPT = 'You are in the middle of a room. Looking around you, you see a desk, a shelf and a drawer.'

/** Tokens sampled and trained per second, kernels already compiled. Changes the weights: measure on a model of its own. */
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
