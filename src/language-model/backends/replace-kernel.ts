import * as tf from '@tensorflow/tfjs-core'

type Inputs = Record<string, tf.TensorInfo>
type Attributes = Record<string, unknown>

/** A kernel of our own; null where shapes or types are not what it is made for. */
export type OwnKernel<Backend> = (backend: Backend, inputs: Inputs, attributes: Attributes) => tf.TensorInfo | null

/** Replaces a kernel of a backend by `own`, and by that of `stockBackend` again whenever `own` declines. */
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
