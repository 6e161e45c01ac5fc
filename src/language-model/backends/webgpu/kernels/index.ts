/** Registers the kernels of src/language-model/ops; the programs beside this folder have the mathematics. */
import { registerAttentionKernels } from './attention.ts'
import { registerDecoderLayerKernel } from './decoder-layers.ts'
import { registerLogitKernels } from './logits.ts'
import { registerOptimizerKernels } from './optimizer.ts'
import { registerRowKernels } from './rows.ts'

export function registerFusedKernels(): void {
  registerRowKernels()
  registerAttentionKernels()
  registerDecoderLayerKernel()
  registerLogitKernels()
  registerOptimizerKernels()
}
