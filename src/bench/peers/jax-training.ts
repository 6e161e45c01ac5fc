/**
 * The training step as a jax-js user would write it: a pure loss over a tree of parameters, its `valueAndGrad`, and the whole step under
 * `jit`, which fuses element-wise work. Attention is written out like `nn.dotProductAttention`, which needs iterator helpers that Node
 * 20 does not have, with a constant mask and the heads first.
 */
import { blockUntilReady, defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax'
import type { ModelConfig } from '../../language-model/files/config.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import type { BenchModel, TokenBatch } from '../bench-model.ts'
import { LEARNING_RATE, MAX_GRAD_NORM, type Open, PeerUnavailableError, type TrainingSubject } from '../subjects.ts'
import { rotaryTables } from './rotary.ts'

type Parameters = Record<string, np.Array>

const BETA1 = 0.9
const BETA2 = 0.999
const EPSILON = 1e-8
/** Added to a masked score. */
const HIDDEN = -1e9

export function jaxTraining(device: 'wasm' | 'webgpu'): Open<TrainingSubject> {
  return async (model: BenchModel) => {
    const found = await init(device)
    if (!found.includes(device)) throw new PeerUnavailableError(`jax-js finds no ${device} here.`)
    defaultDevice(device)
    return new JaxTraining(model, device)
  }
}

class JaxTraining implements TrainingSubject {
  readonly name: string
  readonly note: string
  readonly #config: ModelConfig
  #parameters: Parameters
  #first: Parameters
  #second: Parameters
  #updates = 0
  readonly #functions = new Map<string, ReturnType<typeof compiled>>()

  constructor({ config, weights }: BenchModel, device: 'wasm' | 'webgpu') {
    this.name = `jax-js ${device}`
    this.note = `@jax-js/jax 0.1, jit${device === 'wasm' ? `, ${threads()}` : ''}`
    this.#config = config
    const tensors = (values: (name: string, size: number) => Float32Array<ArrayBuffer>): Parameters =>
      Object.fromEntries(
        parameterShapes(config).map(({ name, shape }) => {
          const size = shape.reduce((product, length) => product * length, 1)
          return [name, np.array(values(name, size), { shape: [...shape] })]
        }),
      )
    this.#parameters = tensors((name) => Float32Array.from(weights.get(name)!))
    this.#first = tensors((_, size) => new Float32Array(size))
    this.#second = tensors((_, size) => new Float32Array(size))
  }

  async gradients(batch: TokenBatch) {
    const { tokens, targets } = arraysOf(batch)
    const [loss, gradients] = this.#compiled(batch).lossAndGradients(tree.ref(this.#parameters), tokens, targets)
    const arrays = new Map<string, Float32Array>()
    for (const [name, gradient] of Object.entries(gradients)) arrays.set(name, (await gradient.data()) as Float32Array)
    return { loss: await scalar(loss), gradients: arrays }
  }

  async step(batch: TokenBatch): Promise<number> {
    this.#updates++
    const { tokens, targets } = arraysOf(batch)
    const corrections = np.array([1 - BETA1 ** this.#updates, 1 - BETA2 ** this.#updates])
    const [loss, parameters, first, second] = this.#compiled(batch).step(
      this.#parameters,
      this.#first,
      this.#second,
      corrections,
      tokens,
      targets,
    )
    await blockUntilReady([parameters, first, second])
    this.#parameters = parameters
    this.#first = first
    this.#second = second
    return scalar(loss)
  }

  dispose(): void {
    tree.dispose([this.#parameters, this.#first, this.#second])
    for (const { step, lossAndGradients } of this.#functions.values()) {
      step.dispose()
      lossAndGradients.dispose()
    }
  }

  /** Compiles a function for each shape, because constants such as the mask depend on it. */
  #compiled({ sequences, length }: TokenBatch): ReturnType<typeof compiled> {
    const key = `${sequences} x ${length}`
    const functions = this.#functions.get(key) ?? compiled(this.#config, sequences, length)
    this.#functions.set(key, functions)
    return functions
  }
}

/** Threads of its kernels: workers if memory can be shared, else the caller's thread. */
function threads(): string {
  const isShared = typeof SharedArrayBuffer !== 'undefined' && typeof Worker !== 'undefined'
  return isShared ? `${navigator.hardwareConcurrency} threads` : 'one thread'
}

function arraysOf({ sequences, length, tokens, targets }: TokenBatch): { tokens: np.Array; targets: np.Array } {
  const array = (values: Int32Array) =>
    np.array(Int32Array.from(values), { shape: [sequences, length], dtype: np.int32 })
  return { tokens: array(tokens), targets: array(targets) }
}

async function scalar(x: np.Array): Promise<number> {
  return ((await x.data()) as Float32Array)[0]!
}

function compiled(config: ModelConfig, sequences: number, length: number) {
  const loss = lossFunction(config, sequences, length)
  const lossAndGradients = (parameters: Parameters, tokens: np.Array, targets: np.Array): [np.Array, Parameters] =>
    valueAndGrad(loss)(parameters, tokens, targets)
  const step = (
    parameters: Parameters,
    first: Parameters,
    second: Parameters,
    corrections: np.Array,
    tokens: np.Array,
    targets: np.Array,
  ): [np.Array, Parameters, Parameters, Parameters] => {
    const [value, gradients] = lossAndGradients(tree.ref(parameters), tokens, targets)
    const squares = Object.values(gradients).map((gradient) => np.square(gradient.ref).sum())
    const norm = np.sqrt(squares.reduce((sum, square) => sum.add(square)))
    const scale = np.minimum(np.array(1), np.array(MAX_GRAD_NORM).div(norm.add(1e-6)))
    const [correction1, correction2] = [corrections.ref.slice(0), corrections.slice(1)]
    const updated: Parameters[] = [{}, {}, {}]
    for (const name of Object.keys(parameters)) {
      const gradient = gradients[name]!.mul(scale.ref)
      const m = first[name]!.mul(BETA1).add(gradient.ref.mul(1 - BETA1))
      const v = second[name]!.mul(BETA2).add(np.square(gradient).mul(1 - BETA2))
      const direction = m.ref.div(correction1.ref).div(np.sqrt(v.ref.div(correction2.ref)).add(EPSILON))
      updated[0]![name] = parameters[name]!.sub(direction.mul(LEARNING_RATE))
      updated[1]![name] = m
      updated[2]![name] = v
    }
    for (const used of [scale, correction1, correction2]) used.dispose()
    return [value, updated[0]!, updated[1]!, updated[2]!]
  }
  return { step: jit(step), lossAndGradients: jit(lossAndGradients) }
}

function lossFunction(config: ModelConfig, sequences: number, length: number) {
  const { layers, heads, keyValueHeads, headDim, hiddenSize, vocabularySize, normEpsilon } = config
  const half = headDim / 2
  const { cosines, sines } = rotaryTables(config, length)
  const table = (values: Float32Array) => np.array(Float32Array.from(values), { shape: [length, 1, half] })
  const [cosine, sine] = [table(cosines), table(sines)]

  const rmsNorm = (x: np.Array, weight: np.Array): np.Array => {
    const meanSquare = np.square(x.ref).mean(-1, { keepdims: true })
    return x.mul(np.reciprocal(np.sqrt(meanSquare.add(normEpsilon)))).mul(weight)
  }
  const linear = (x: np.Array, weight: np.Array) => np.matmul(x, np.transpose(weight))
  const perHead = (x: np.Array, count: number) => x.reshape([sequences, length, count, headDim])
  const rope = (x: np.Array): np.Array => {
    const [first, second] = [x.ref.slice([], [], [], [0, half]), x.slice([], [], [], [half, headDim])]
    return np.concatenate(
      [first.ref.mul(cosine.ref).sub(second.ref.mul(sine.ref)), second.mul(cosine.ref).add(first.mul(sine.ref))],
      -1,
    )
  }
  const attention = (q: np.Array, k: np.Array, v: np.Array): np.Array => {
    const headsFirst = (x: np.Array) => np.transpose(x, [0, 2, 1, 3])
    const shared = (x: np.Array) => (heads === keyValueHeads ? x : np.repeat(x, heads / keyValueHeads, 2))
    const keys = np.transpose(shared(k), [0, 2, 3, 1])
    const scores = np.matmul(headsFirst(q), keys).mul(1 / Math.sqrt(headDim))
    const seen = np.tri(length, length, 0, { dtype: np.bool })
    const weights = nn.softmax(np.where(seen, scores, HIDDEN), -1)
    return headsFirst(np.matmul(weights, headsFirst(shared(v)))).reshape([sequences, length, heads * headDim])
  }

  return (parameters: Parameters, tokens: np.Array, targets: np.Array): np.Array => {
    const weight = (name: string) => parameters[name]!
    const embedding = weight('model.embed_tokens.weight')
    let x: np.Array = np.take(embedding.ref, tokens, 0).reshape([sequences, length, hiddenSize])
    for (let layer = 0; layer < layers; layer++) {
      const at = (name: string) => weight(`model.layers.${layer}.${name}.weight`)
      const normed = rmsNorm(x.ref, at('input_layernorm'))
      const queries = rope(perHead(linear(normed.ref, at('self_attn.q_proj')), heads))
      const keys = rope(perHead(linear(normed.ref, at('self_attn.k_proj')), keyValueHeads))
      const values = perHead(linear(normed, at('self_attn.v_proj')), keyValueHeads)
      x = x.add(linear(attention(queries, keys, values), at('self_attn.o_proj')))
      const forward = rmsNorm(x.ref, at('post_attention_layernorm'))
      const gated = nn.silu(linear(forward.ref, at('mlp.gate_proj'))).mul(linear(forward, at('mlp.up_proj')))
      x = x.add(linear(gated, at('mlp.down_proj')))
    }
    const logProbs = nn.logSoftmax(linear(rmsNorm(x, weight('model.norm.weight')), embedding), -1)
    return logProbs
      .mul(nn.oneHot(targets, vocabularySize))
      .sum()
      .mul(-1 / (sequences * length))
  }
}
