/**
 * A Llama as an ONNX file with a key/value cache, like the files of exporters for ONNX Runtime: with its grouped-query attention, which
 * also rotates and appends to the cache, and its norms, which also add the residual.
 *
 *     input_ids[batch, sequence], attention_mask[batch, total], past_key_values.<layer>.{key,value}[batch, Hkv, past, D]
 *     → logits[batch, 1, V] of the last position, present.<layer>.{key,value}[batch, Hkv, total, D]
 */
import type { BenchModel } from '../../bench-model.ts'
import { rotaryTables } from '../rotary.ts'
import { MICROSOFT, OnnxGraph } from './graph.ts'

export function llamaToOnnx({ config, weights }: BenchModel): Uint8Array {
  const { layers, heads, keyValueHeads, headDim, hiddenSize, vocabularySize, normEpsilon, maxPositions } = config
  const graph = new OnnxGraph('llama')
  const only = (outputs: string[]) => outputs[0]!
  const stored = (name: string) => weights.get(name)!
  const vector = (name: string) => graph.constant(name, [stored(name).length], stored(name))
  /** A projection [out, in] as [in, out]. */
  const matrix = (name: string, values = stored(name)) => {
    const rows = values.length / (name.includes('down_proj') ? config.intermediateSize : widthInto(name))
    const columns = values.length / rows
    return graph.constant(`${name}.transposed`, [columns, rows], transposed(values, rows, columns))
  }
  const widthInto = (name: string) => (name.includes('o_proj') ? heads * headDim : hiddenSize)
  const project = (x: string, name: string) => only(graph.node('MatMul', [x, matrix(name)]))

  const tokens = graph.input('input_ids', 'int64', ['batch_size', 'sequence_length'])
  const mask = graph.input('attention_mask', 'int64', ['batch_size', 'total_sequence_length'])
  const embedding = graph.constant('embedding', [vocabularySize, hiddenSize], stored('model.embed_tokens.weight'))
  const one = graph.constant('one', [1], BigInt64Array.of(1n))
  const position = graph.constant('position', [], BigInt64Array.of(1n))
  const last = graph.constant('last', [1], BigInt64Array.of(-1n))
  // Tokens of each sequence, less one, and the length of the longest.
  const seen = only(graph.node('ReduceSum', [mask, one], { attributes: { keepdims: 0 } }))
  const seenLessOne = only(graph.node('Sub', [seen, one]))
  const lengths = only(graph.node('Cast', [seenLessOne], { attributes: { to: INT32 } }))
  const total = only(graph.node('Gather', [only(graph.node('Shape', [mask])), position]))
  const totalLength = only(graph.node('Cast', [total], { attributes: { to: INT32 } }))
  const half = headDim / 2
  const { cosines, sines } = rotaryTables(config, maxPositions)
  const cosine = graph.constant('cosine', [maxPositions, half], cosines)
  const sine = graph.constant('sine', [maxPositions, half], sines)

  const cacheShape = (length: string) => ['batch_size', keyValueHeads, length, headDim]
  const epsilon = { float: normEpsilon }
  let residual = only(graph.node('Gather', [embedding, tokens]))
  let added: string | null = null
  /** Norm of the residual stream after adding the last output to it. */
  const norm = (weight: string): string => {
    if (added === null) {
      const attributes = { axis: 2, epsilon, stash_type: 1 }
      return only(graph.node('SimplifiedLayerNormalization', [residual, vector(weight)], { attributes }))
    }
    const name = `normed.${weight}`
    const sum = `residual.${weight}`
    graph.node('SkipSimplifiedLayerNormalization', [residual, added, vector(weight)], {
      domain: MICROSOFT,
      attributes: { epsilon },
      outputs: [name, '', '', sum],
    })
    residual = sum
    return name
  }
  for (let layer = 0; layer < layers; layer++) {
    const at = (name: string) => `model.layers.${layer}.${name}.weight`
    const past = (part: string) =>
      graph.input(`past_key_values.${layer}.${part}`, 'float32', cacheShape('past_sequence_length'))
    const normed = norm(at('input_layernorm'))
    const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map((name) => project(normed, at(`self_attn.${name}`)))
    const presents = [`present.${layer}.key`, `present.${layer}.value`]
    const attended = `attended.${layer}`
    graph.node(
      'GroupQueryAttention',
      [query!, key!, value!, past('key'), past('value'), lengths, totalLength, cosine, sine],
      {
        domain: MICROSOFT,
        attributes: { num_heads: heads, kv_num_heads: keyValueHeads, do_rotary: 1, rotary_interleaved: 0 },
        outputs: [attended, ...presents],
      },
    )
    for (const present of presents) graph.output(present, 'float32', cacheShape('total_sequence_length'))
    added = project(attended, at('self_attn.o_proj'))
    const feedForwardInput = norm(at('post_attention_layernorm'))
    const gate = project(feedForwardInput, at('mlp.gate_proj'))
    const activated = only(graph.node('Mul', [gate, only(graph.node('Sigmoid', [gate]))]))
    const gated = only(graph.node('Mul', [activated, project(feedForwardInput, at('mlp.up_proj'))]))
    added = project(gated, at('mlp.down_proj'))
  }
  const hidden = norm('model.norm.weight')
  const lastHidden = only(graph.node('Gather', [hidden, last], { attributes: { axis: 1 } }))
  graph.node('MatMul', [lastHidden, matrix('head', stored('model.embed_tokens.weight'))], { outputs: ['logits'] })
  graph.output('logits', 'float32', ['batch_size', 1, vocabularySize])
  return graph.encode()
}

/** ONNX's number for the type in a Cast. */
const INT32 = 6

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from(values, (_, i) => values[(i % rows) * columns + Math.floor(i / rows)]!)
}
