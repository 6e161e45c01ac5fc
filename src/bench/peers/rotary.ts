import type { ModelConfig } from '../../language-model/files/config.ts'
import { inverseFrequencies } from '../../language-model/files/config.ts'

/** Cosines and sines of the rotary embedding, [positions · headDim / 2] each. */
export function rotaryTables(config: ModelConfig, positions: number): { cosines: Float32Array; sines: Float32Array } {
  const frequencies = inverseFrequencies(config)
  const half = frequencies.length
  const angle = (i: number) => Math.floor(i / half) * frequencies[i % half]!
  return {
    cosines: Float32Array.from({ length: positions * half }, (_, i) => Math.cos(angle(i))),
    sines: Float32Array.from({ length: positions * half }, (_, i) => Math.sin(angle(i))),
  }
}
