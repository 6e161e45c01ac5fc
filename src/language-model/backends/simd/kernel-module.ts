import { plainSimdModule, relaxedSimdModule } from './kernels.generated.ts'

type Address = number

/** What attention and its gradient read beside tensors. */
type AttentionShape = [
  queries: number,
  heads: number,
  keyHeads: number,
  headDim: number,
  querySegment: Address,
  querySlot: Address,
  segmentStart: Address,
  spanOffsets: Address,
  spanStart: Address,
  spanLength: Address,
  maximumVisible: number,
  scratch: Address,
]

/** Exports of the AssemblyScript module. Sizes and strides count float32 elements; flags are 0 or 1. */
export interface KernelModule {
  matmul(
    a: Address,
    b: Address,
    c: Address,
    m: number,
    n: number,
    k: number,
    aRowStride: number,
    aColumnStride: number,
    bRowStride: number,
    bColumnStride: number,
    accumulate: number,
    scratch: Address,
  ): void
  matmulScratchBytes(): number
  weightPanelBytes(n: number, k: number): number
  packWeight(weight: Address, panels: Address, n: number, k: number): void
  matmulPacked(a: Address, panels: Address, c: Address, m: number, n: number, k: number, scratch: Address): void
  dequantizeBlocks(blocks: Address, out: Address, groups: number): void
  fourBitMatmul(
    a: Address,
    blocks: Address,
    c: Address,
    m: number,
    n: number,
    k: number,
    tile: Address,
    tileRows: number,
    scratch: Address,
  ): void
  fourBitMatmulGradient(
    dc: Address,
    blocks: Address,
    da: Address,
    m: number,
    n: number,
    k: number,
    tile: Address,
    tileRows: number,
    scratch: Address,
  ): void
  fourBitGatherRows(blocks: Address, indices: Address, out: Address, count: number, k: number): void
  rmsNorm(x: Address, weight: Address, y: Address, rows: number, width: number, epsilon: number): void
  rmsNormGradient(
    dy: Address,
    x: Address,
    weight: Address,
    dx: Address,
    dw: Address,
    rows: number,
    width: number,
    epsilon: number,
  ): void
  rotate(
    x: Address,
    y: Address,
    positions: Address,
    cosine: Address,
    sine: Address,
    rows: number,
    heads: number,
    headDim: number,
    direction: number,
  ): void
  attention(q: Address, k: Address, v: Address, output: Address, logSumExp: Address, ...rest: AttentionShape): void
  attentionGradient(
    dy: Address,
    q: Address,
    k: Address,
    v: Address,
    output: Address,
    logSumExp: Address,
    dq: Address,
    dk: Address,
    dv: Address,
    ...rest: AttentionShape
  ): void
  attentionScratchBytes(heads: number, keyHeads: number, headDim: number, maximumVisible: number): number
  attentionGradientScratchBytes(heads: number, keyHeads: number, headDim: number, maximumVisible: number): number
  swiglu(gate: Address, up: Address, y: Address, count: number): void
  swigluGradient(dy: Address, gate: Address, up: Address, dgate: Address, dup: Address, count: number): void
  addScaled(a: Address, b: Address, out: Address, count: number, period: number, factor: number): void
  multiply(a: Address, b: Address, out: Address, count: number, period: number): void
  scaleShift(x: Address, out: Address, count: number, factor: number, addend: number): void
  sumRows(x: Address, out: Address, rows: number, width: number): void
  sumOfSquares(x: Address, count: number): number
  gatherRows(x: Address, indices: Address, out: Address, count: number, width: number): void
  scatterAddRows(dy: Address, indices: Address, out: Address, count: number, width: number): void
  writeRows(rows: Address, slots: Address, pool: Address, count: number, width: number): void
  selectLogProbs(
    logits: Address,
    targets: Address,
    logProbs: Address,
    entropies: Address,
    logSumExps: Address,
    rows: number,
    width: number,
    inverseTemperature: number,
  ): void
  selectLogProbsGradient(
    logits: Address,
    targets: Address,
    logSumExps: Address,
    upstream: Address,
    rows: number,
    width: number,
    inverseTemperature: number,
  ): void
  adamw(
    parameter: Address,
    gradient: Address,
    m: Address,
    v: Address,
    count: number,
    gradientScale: number,
    beta1: number,
    beta2: number,
    epsilon: number,
    keep: number,
    stepSize: number,
    rootScale: number,
  ): void
  fillZero(target: Address, count: number): void
}

/** Two tiny modules that validate only if the engine supports `i8x16.splat`, and `f32x4.relaxed_madd` as well. */
const SIMD_PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]
const RELAXED_SIMD_PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65,
  0, 253, 15, 253, 133, 2, 11,
]

export function hasSimd(): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(Uint8Array.from(SIMD_PROBE))
}

export function hasRelaxedSimd(): boolean {
  return hasSimd() && WebAssembly.validate(Uint8Array.from(RELAXED_SIMD_PROBE))
}

/** Initially 32 MB. The maximum reserves address space, not memory, but some browsers refuse a large one, hence the steps down. */
const INITIAL_PAGES = 512
const MAXIMUM_PAGES = [65536, 32768, 16384, 8192, 4096]

function createMemory(): WebAssembly.Memory {
  for (const maximum of MAXIMUM_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum })
    } catch (error) {
      if (maximum === MAXIMUM_PAGES.at(-1)) throw error
    }
  }
  throw new RangeError('unreachable')
}

export async function instantiateKernels(
  useRelaxedSimd: boolean,
): Promise<{ kernels: KernelModule; memory: WebAssembly.Memory }> {
  const bytes = Uint8Array.from(atob(useRelaxedSimd ? relaxedSimdModule : plainSimdModule), (character) =>
    character.charCodeAt(0),
  )
  const memory = createMemory()
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } })
  return { kernels: instance.exports as unknown as KernelModule, memory }
}
