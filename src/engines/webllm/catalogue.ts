/**
 * The models of WebLLM's list (version 0.2.86) that can play roles: those of the families that our trainer supports.
 *
 * `requiredMB` is WebLLM's figure for a context of 4096 tokens. Several of its f16 records do not declare shader-f16, which all
 * their kernels require, so it is added here.
 */
import { MLC_QUANTIZATIONS, type MlcQuantization } from '../../weight-formats/mlc-encoding.ts'
import type { ModelRecord } from '../../roles/source.ts'

const WEIGHTS = 'https://huggingface.co/mlc-ai/'
const LIBRARIES = 'https://raw.githubusercontent.com/mlc-ai/binary-mlc-llm-libs/main/web-llm-models/v0_2_86/base/'

/** The values of the published config.json that determine memory. */
export interface DecoderShape {
  hiddenSize: number
  layers: number
  keyValueHeads: number
  headDim: number
  vocabularySize: number
  /** Number of weights, a tied output layer once. */
  parameters: number
  /** The model's own context. */
  maxPositions: number
  /** The library has the vocabulary size compiled in, and reserves memory for the logits of a whole chunk. */
  reservesLogits: boolean
}

export interface CatalogueModel {
  /** WebLLM's id: "SmolLM2-135M-Instruct-q0f16-MLC". */
  id: string
  name: string
  quantization: MlcQuantization
  shape: DecoderShape
  /** WebLLM's figure: 10^6 bytes of graphics memory at 4096 tokens. */
  requiredMB: number
  features: readonly GPUFeatureName[]
  record: ModelRecord
}

interface Family {
  name: string
  /** Name of the compiled library; Qwen2.5 uses Qwen2's. */
  library?: string
  sizes: Omit<DecoderShape, 'reservesLogits'>
  requiredMB: Partial<Record<MlcQuantization, number>>
}

const FAMILIES: readonly Family[] = [
  {
    name: 'SmolLM2-135M-Instruct',
    sizes: sizesOf(576, 30, 3, 64, 49_152, 134_515_008, 8192),
    requiredMB: { q0f16: 359.69, q0f32: 719.38 },
  },
  {
    name: 'SmolLM2-360M-Instruct',
    sizes: sizesOf(960, 32, 5, 64, 49_152, 361_821_120, 8192),
    requiredMB: { q0f16: 871.99, q0f32: 1743.99, q4f16_1: 376.06, q4f32_1: 579.61 },
  },
  {
    name: 'SmolLM2-1.7B-Instruct',
    sizes: sizesOf(2048, 24, 32, 64, 49_152, 1_711_376_384, 8192),
    requiredMB: { q4f16_1: 1774.19, q4f32_1: 2692.38 },
  },
  {
    name: 'Qwen2.5-0.5B-Instruct',
    library: 'Qwen2-0.5B-Instruct',
    sizes: sizesOf(896, 24, 2, 64, 151_936, 494_032_768, 32_768),
    requiredMB: { q0f16: 1624.12, q0f32: 2654.75, q4f16_1: 944.62, q4f32_1: 1060.2 },
  },
  {
    name: 'Qwen2.5-1.5B-Instruct',
    library: 'Qwen2-1.5B-Instruct',
    sizes: sizesOf(1536, 28, 2, 128, 151_936, 1_543_714_304, 32_768),
    requiredMB: { q4f16_1: 1629.75, q4f32_1: 1888.97 },
  },
  {
    name: 'Qwen3-0.6B',
    sizes: sizesOf(1024, 28, 8, 128, 151_936, 596_049_920, 40_960),
    requiredMB: { q0f16: 2220.38, q0f32: 3843.25, q4f16_1: 1403.34, q4f32_1: 1924.98 },
  },
  {
    name: 'Qwen3-1.7B',
    sizes: sizesOf(2048, 28, 8, 128, 151_936, 1_720_574_976, 40_960),
    requiredMB: { q4f16_1: 2036.66, q4f32_1: 2635.44 },
  },
  {
    name: 'Llama-3.2-1B-Instruct',
    sizes: sizesOf(2048, 16, 8, 64, 128_256, 1_235_814_400, 131_072),
    requiredMB: { q0f16: 2573.13, q0f32: 5106.26, q4f16_1: 879.04, q4f32_1: 1128.82 },
  },
]

export const CATALOGUE: readonly CatalogueModel[] = FAMILIES.flatMap(({ name, library = name, sizes, requiredMB }) =>
  MLC_QUANTIZATIONS.flatMap((quantization): CatalogueModel[] => {
    const required = requiredMB[quantization]
    if (required === undefined) return []
    const shape = { ...sizes, reservesLogits: name.startsWith('Qwen') }
    const id = `${name}-${quantization}-MLC`
    const features = featuresFor(quantization)
    const record: ModelRecord = {
      model_id: id,
      model: WEIGHTS + id,
      model_lib: `${LIBRARIES}${library}-${quantization}_cs1k-webgpu.wasm`,
      required_features: [...features],
    }
    return [{ id, name, quantization, shape, requiredMB: required, features, record }]
  }),
)

export class UnusableModelError extends Error {
  override name = 'UnusableModelError'
}

export function featuresFor(quantization: MlcQuantization): GPUFeatureName[] {
  return quantization.includes('f16') ? ['shader-f16'] : []
}

/** Features that an adapter lacks for a model; empty if it can run it. */
export function missingFeatures(
  model: Pick<CatalogueModel, 'features'>,
  adapter: Pick<GPUAdapter, 'features'>,
): string[] {
  return model.features.filter((feature) => !adapter.features.has(feature))
}

export interface CustomModel {
  /** Name of the model. */
  id: string
  /** Folder of the weights and address of the compiled library. */
  model: string
  library: string
}

/** A record with custom addresses. Throws UnusableModelError early, where WebLLM would fail later without a clear message. */
export function customRecord({ id, model, library }: CustomModel, features: readonly GPUFeatureName[]): ModelRecord {
  for (const [what, address] of [
    ['weights', model],
    ['library', library],
  ] as const) {
    const parsed = URL.canParse(address) ? new URL(address) : null
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      throw new UnusableModelError(
        `The address of the ${what}, "${address}", is not an http(s) address. Enter the whole address, beginning with https://.`,
      )
  }
  if (id.trim() === '') throw new UnusableModelError('The model has no name. Enter one.')
  return { model_id: id, model, model_lib: library, required_features: [...features] }
}

function sizesOf(
  hiddenSize: number,
  layers: number,
  keyValueHeads: number,
  headDim: number,
  vocabularySize: number,
  parameters: number,
  maxPositions: number,
): Omit<DecoderShape, 'reservesLogits'> {
  return { hiddenSize, layers, keyValueHeads, headDim, vocabularySize, parameters, maxPositions }
}
