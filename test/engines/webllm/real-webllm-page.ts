/** In the page of real-webllm.test.ts: a worker around WebLLM itself. */
import { connectWorker } from '../../../src/threads/worker-bridge.ts'
import type { WebLlmSource } from '../../../src/engines/webllm/webllm-model.ts'
import type { WebLlmWorker } from './real-webllm-worker.ts'

const thread = new Worker(new URL('./real-webllm-worker.ts', import.meta.url), { type: 'module' })
const { remote } = connectWorker<WebLlmWorker>(thread, 'webllm')

export interface Rehearsal {
  usesInternals: boolean
  missing: string[]
  description: string
  acceptsWeights: boolean
  /** Log-probabilities of each completion at sampling, and when the model scores it. */
  completions: { tokens: number[]; sampled: number[]; scored: number[] }[]
  /** Scores of a sequence at temperatures 1 and 1/2. */
  scores: { cool: number[]; warm: number[] }
  /** Scores at temperature 1 after the last norm has been doubled, which halves the temperature; null for four bits. */
  doubled: number[] | null
  seconds: Record<string, number>
}

const base = `${location.origin}/model/`
const source: WebLlmSource = {
  record: { model_id: 'the-model', model: base, model_lib: `${base}resolve/main/model.wasm` },
  contextWindow: 256,
  sequences: 4,
  cacheTokens: 512,
}

/** Samples of one prompt: greedy, and by a group that forks it. */
export interface Stage {
  prompt: number[]
  greedy: { tokens: number[] }[]
  drawn: { tokens: number[]; logProbs: number[] }[]
  seconds: Record<string, number>
}

export interface UpdateScope {
  /** Loads the model and samples. */
  sampleFirst(): Promise<Stage>
  /** Sets the weights of /changed, a safetensors file, and samples again. */
  sampleChanged(): Promise<Stage>
}

async function sample(seconds: Record<string, number>): Promise<Stage> {
  const [prompt] = await remote.encode(['go to the desk 1\n'])
  const request = { prompt: prompt!, count: 1, seed: 1 }
  const start = performance.now()
  const [greedy] = await remote.generate([request], { temperature: 0, topP: 1, maxTokens: 1 })
  const [drawn] = await remote.generate([{ ...request, count: 4 }], { temperature: 1, topP: 1, maxTokens: 2 })
  return {
    prompt: [...prompt!],
    greedy: greedy!.map(({ tokens }) => ({ tokens: [...tokens] })),
    drawn: drawn!.map(({ tokens, logProbs }) => ({ tokens: [...tokens], logProbs: [...logProbs] })),
    seconds: { ...seconds, sample: (performance.now() - start) / 1000 },
  }
}

const updateScope: UpdateScope = {
  async sampleFirst() {
    const start = performance.now()
    await remote.load(source)
    return sample({ load: (performance.now() - start) / 1000 })
  },
  async sampleChanged() {
    const bytes = new Uint8Array(await (await fetch('/changed')).arrayBuffer())
    const start = performance.now()
    await remote.loadCheckpoint(bytes)
    return sample({ weights: (performance.now() - start) / 1000 })
  },
}

export async function rehearse(finalNorm: number[] | null): Promise<Rehearsal> {
  const seconds: Record<string, number> = {}
  const timed = async <T>(name: string, job: Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await job
    seconds[name] = (performance.now() - start) / 1000
    return result
  }
  const info = await timed('load', remote.load(source))
  const [prompt] = await remote.encode(['go to the desk 1\n'])
  const [group] = await timed(
    'generate',
    remote.generate([{ prompt: prompt!, count: 3, seed: 1 }], { temperature: 1, topP: 1, maxTokens: 2 }),
  )
  const whole = group!.map(({ tokens }) => Int32Array.of(...prompt!, ...tokens))
  const scores = await timed('score', remote.score(whole.slice(0, 2), 1))
  const [warm] = [scores[0]!]
  const [cool] = await remote.score(whole.slice(0, 1), 0.5)
  let doubled: number[] | null = null
  if (finalNorm !== null && info.acceptsWeights) {
    await timed(
      'weights',
      remote.setWeights(new Map([['model.norm.weight', Float32Array.from(finalNorm, (weight) => 2 * weight)]])),
    )
    doubled = [...(await remote.score(whole.slice(0, 1), 1))[0]!]
  }
  return {
    usesInternals: info.usesInternals,
    missing: [...info.missing],
    description: info.backendDescription,
    acceptsWeights: info.acceptsWeights,
    completions: scores.map((score, i) => ({
      tokens: [...group![i]!.tokens],
      sampled: [...group![i]!.logProbs],
      scored: [...score.slice(prompt!.length - 1)],
    })),
    scores: { cool: [...cool!], warm: [...warm] },
    doubled,
    seconds,
  }
}

Object.assign(globalThis, { rehearse, ...updateScope })
