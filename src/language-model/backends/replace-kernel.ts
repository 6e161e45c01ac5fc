import * as tf from '@tensorflow/tfjs-core'

type Inputs = Record<string, tf.TensorInfo>
type Attributes = Record<string, unknown>

/** A kernel of our own; returns null for shapes or types that it does not support. */
export type OwnKernel<Backend> = (backend: Backend, inputs: Inputs, attributes: Attributes) => tf.TensorInfo | null

/** Replaces a backend's kernel with `own`, which falls back to the kernel of `stockBackend` when it returns null. */
export function replaceKernel<Backend>(
  kernelName: string,
  backendName: string,
  stockBackend: string,
  own: OwnKernel<Backend>,
): void {
  const general = tf.getKernel(kernelName, stockBackend).kernelFunc
  tf.unregisterKernel(kernelName, backendName)
  tf.registerKernel({
    kernelName,
    backendName,
    kernelFunc: (params) =>
      own(params.backend as Backend, params.inputs as Inputs, params.attrs as Attributes) ?? general(params),
  })
}
