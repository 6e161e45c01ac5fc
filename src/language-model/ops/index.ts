/** The operations that the transformer is made of, on flat ragged batches [N tokens, features]: fused where the backend has the kernel, composed of stock TensorFlow.js elsewhere. */
import './stock-gradients.ts'

export { adamw, type AdamWSettings, clipScale, globalNorm } from './adamw.ts'
export type { AttentionLayout } from './attention-layout.ts'
export { attention } from './attention.ts'
export { embedding, gatherRows } from './gather-rows.ts'
export { kvWrite } from './kv-write.ts'
export { linear } from './linear.ts'
export { recomputed } from './recomputed.ts'
export { rmsNorm } from './rms-norm.ts'
export { rope } from './rope.ts'
export { type SelectedLogProbs, selectedLogProbs } from './selected-log-probs.ts'
export { swiglu } from './swiglu.ts'
