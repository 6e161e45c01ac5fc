/** A decoder for the stand-in of WebLLM: in 64 bits, with parameters fused as in MLC, read again for every token. */
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { architectureOf } from '../../../src/weight-formats/mlc-export.ts'
import { mlcParameters } from '../../../src/weight-formats/mlc-parameters.ts'
import { naiveLogits } from '../../language-model/naive-transformer.ts'
import { unfuse } from '../../weight-formats/decode.ts'
import type { CompiledModel } from './small-model.ts'

/** "Embedded" tokens are their ids; the whole model is computed at the end. */
export function compiledTransformer(configJson: unknown): CompiledModel {
  const config = parseModelConfig(configJson, 'compiled')
  const parameters = mlcParameters(config, architectureOf(configJson, 'compiled'))
  return {
    vocabulary: config.vocabularySize,
    hidden: 1,
    embed: (_, token) => [token],
    logits(values, embedded) {
      const weights = new Map(parameters.flatMap((parameter) => unfuse(parameter, values.get(parameter.name)!)))
      const tokens = embedded.map(([token]) => token!)
      return Float32Array.from(naiveLogits(config, weights, tokens, tokens.length - 1)[0]!)
    },
  }
}
