import * as tf from '@tensorflow/tfjs-core'

/**
 * Gradients of the stock operations that our model, its losses and a peer of the benchmarks differentiate. TensorFlow.js registers gradients only in a side-effect module
 * that Node cannot import (its files are ES modules in a CommonJS package) and that pulls in every operation. If an operation fails
 * with "gradient function not found for <kernel>", add its gradient here.
 */
type Gradients = Record<string, () => tf.Tensor>

function register(
  kernelName: string,
  keep: { inputs?: string[]; outputs?: boolean; allInputs?: boolean },
  gradients: (dy: tf.Tensor, saved: tf.Tensor[], attributes: Record<string, unknown>) => Gradients,
): void {
  if (tf.getGradient(kernelName)) return
  tf.registerGradient({
    kernelName,
    inputsToSave: keep.inputs ?? [],
    outputsToSave: keep.outputs ? [true] : [],
    saveAllInputs: keep.allInputs ?? false,
    gradFunc: (dy, saved, attributes) => gradients(dy as tf.Tensor, saved, attributes),
  })
}

/** The gradient of a broadcast: sums dy over the axes along which a tensor of `shape` was repeated. */
function unbroadcast(dy: tf.Tensor, shape: number[]): tf.Tensor {
  const axes = tf.broadcast_util.getReductionAxes(shape, dy.shape)
  return tf.reshape(axes.length > 0 ? tf.sum(dy, axes) : dy, shape)
}

const where = (condition: tf.Tensor) => tf.cast(condition, 'float32')

function registerUnary(
  kernelName: string,
  derivative: (x: tf.Tensor, attributes: Record<string, unknown>) => tf.Tensor,
): void {
  register(kernelName, { inputs: ['x'] }, (dy, [x], attributes) => ({
    x: () => tf.mul(dy, derivative(x!, attributes)),
  }))
}

function registerOfOutput(kernelName: string, derivative: (y: tf.Tensor) => tf.Tensor): void {
  register(kernelName, { outputs: true }, (dy, [y]) => ({ x: () => tf.mul(dy, derivative(y!)) }))
}

function registerBinary(
  kernelName: string,
  derivatives: (a: tf.Tensor, b: tf.Tensor, dy: tf.Tensor) => { a: () => tf.Tensor; b: () => tf.Tensor },
): void {
  register(kernelName, { inputs: ['a', 'b'] }, (dy, saved) => {
    const [a, b] = saved as [tf.Tensor, tf.Tensor]
    const pull = derivatives(a, b, dy)
    return { a: () => unbroadcast(pull.a(), a.shape), b: () => unbroadcast(pull.b(), b.shape) }
  })
}

/** Restores a reduced tensor's reduced axes, with length 1. */
function restoreAxes(reduced: tf.Tensor, shape: number[], axis: unknown): tf.Tensor {
  const axes = tf.util.parseAxisParam((axis as number | number[] | null) ?? shape.map((_, i) => i), shape)
  return tf.reshape(
    reduced,
    shape.map((size, i) => (axes.includes(i) ? 1 : size)),
  )
}

registerBinary(tf.Add, (_a, _b, dy) => ({ a: () => dy, b: () => dy }))
registerBinary(tf.Sub, (_a, _b, dy) => ({ a: () => dy, b: () => tf.neg(dy) }))
registerBinary(tf.Multiply, (a, b, dy) => ({ a: () => tf.mul(dy, b), b: () => tf.mul(dy, a) }))
registerBinary(tf.RealDiv, (a, b, dy) => ({
  a: () => tf.div(dy, b),
  b: () => tf.neg(tf.div(tf.mul(dy, a), tf.square(b))),
}))
registerBinary(tf.Minimum, (a, b, dy) => ({
  a: () => tf.mul(dy, where(tf.lessEqual(a, b))),
  b: () => tf.mul(dy, where(tf.greater(a, b))),
}))

register(tf.Neg, {}, (dy) => ({ x: () => tf.neg(dy) }))
register(tf.Identity, {}, (dy) => ({ x: () => tf.clone(dy) }))
register(tf.Cast, {}, (dy) => ({ x: () => tf.cast(dy, 'float32') }))
registerUnary(tf.Square, (x) => tf.mul(2, x))
registerUnary(tf.Rsqrt, (x) => tf.div(tf.mul(-0.5, tf.rsqrt(x)), x))
registerUnary(tf.ClipByValue, (x, { clipValueMin, clipValueMax }) =>
  where(tf.logicalAnd(tf.greaterEqual(x, clipValueMin as number), tf.lessEqual(x, clipValueMax as number))),
)
registerOfOutput(tf.Exp, (y) => y)
registerOfOutput(tf.Sigmoid, (y) => tf.mul(y, tf.sub(1, y)))

register(tf.Sum, { inputs: ['x'] }, (dy, [x], { axis }) => ({
  x: () => tf.mul(restoreAxes(dy, x!.shape, axis), tf.ones(x!.shape)),
}))
register(tf.Mean, { inputs: ['x'] }, (dy, [x], { axis }) => ({
  x: () => tf.mul(restoreAxes(dy, x!.shape, axis), tf.fill(x!.shape, dy.size / x!.size)),
}))
register(tf.Softmax, { outputs: true }, (dy, [y], { dim }) => ({
  logits: () => tf.mul(tf.sub(dy, tf.sum(tf.mul(dy, y!), dim as number, true)), y!),
}))

/** C = op(A) · op(B), where op may transpose; each gradient is transposed like its operand. */
register(tf.BatchMatMul, { inputs: ['a', 'b'] }, (dy, saved, attributes) => {
  const [a, b] = saved as [tf.Tensor, tf.Tensor]
  const { transposeA, transposeB } = attributes as { transposeA: boolean; transposeB: boolean }
  return {
    a: () => (transposeA ? tf.matMul(b, dy, transposeB, true) : tf.matMul(dy, b, false, !transposeB)),
    b: () => (transposeB ? tf.matMul(dy, a, true, transposeA) : tf.matMul(a, dy, !transposeA, false)),
  }
})

register(tf.Reshape, { inputs: ['x'] }, (dy, [x]) => ({ x: () => tf.reshape(dy, x!.shape) }))
register(tf.ExpandDims, { inputs: ['input'] }, (dy, [input]) => ({ input: () => tf.reshape(dy, input!.shape) }))
register(tf.Transpose, {}, (dy, _saved, { perm }) => ({
  x: () => tf.transpose(dy, tf.backend_util.getUndoAxesPermutation(perm as number[])),
}))
register(tf.Slice, { inputs: ['x'] }, (dy, [x], { begin }) => ({
  x: () =>
    tf.pad(
      dy,
      (begin as number[]).map((start, i): [number, number] => [start, x!.shape[i]! - start - dy.shape[i]!]),
    ),
}))
register(tf.Concat, { allInputs: true }, (dy, saved, { axis }) => {
  const along = tf.util.parseAxisParam(axis as number, saved[0]!.shape)[0]!
  let start = 0
  return Object.fromEntries(
    saved.map((part, i) => {
      const begin = part.shape.map((_, d) => (d === along ? start : 0))
      start += part.shape[along]!
      return [i, () => tf.slice(dy, begin, part.shape)]
    }),
  )
})
// An upstream gradient for each piece, or the gradient itself if there is one piece.
register(tf.SplitV, {}, (dy: tf.Tensor | tf.Tensor[], _saved, { axis }) => ({
  x: () => (dy instanceof tf.Tensor ? tf.clone(dy) : tf.concat(dy, axis as number)),
}))
register(tf.Pack, { allInputs: true }, (dy, saved, { axis }) => {
  const parts = tf.unstack(dy, axis as number)
  return Object.fromEntries(saved.map((_, i) => [i, () => parts[i]!]))
})
register(tf.GatherV2, { inputs: ['x', 'indices'] }, (dy, [x, indices], { axis, batchDims }) => {
  if (axis !== 0 || batchDims !== 0)
    throw new Error(
      `No gradient for a gather along axis ${String(axis)} with ${String(batchDims)} batch dimensions: gather rows (axis 0) instead.`,
    )
  return {
    x: () =>
      tf.unsortedSegmentSum(
        tf.reshape(dy, [indices!.size, ...x!.shape.slice(1)]),
        tf.reshape(indices!, [indices!.size]),
        x!.shape[0],
      ),
    indices: () => tf.zerosLike(indices!),
  }
})
