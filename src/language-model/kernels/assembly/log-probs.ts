import { exponential, exponentialOf, maximumLane, multiplyAdd, sumLanes } from './vector'

/**
 * For each row of logits[rows, width]: z = logits / T, the log-sum-exp of z, z at the target minus it, and the entropy
 * logsumexp − Σ p z. One pass for the maximum, one for the sums.
 */
export function selectLogProbs(logits: usize, targets: usize, logProbs: usize, entropies: usize, logSumExps: usize,
  rows: i32, width: i32, inverseTemperature: f32): void {
  const bytes = (width as usize) << 2
  const factor = f32x4.splat(inverseTemperature)
  for (let row = 0; row < rows; row++) {
    const z = logits + (row as usize) * bytes
    const at = (row as usize) << 2
    const top = maximumOf(z, width) * inverseTemperature
    const tops = f32x4.splat(top)
    let sums = f32x4.splat(0), weighted = f32x4.splat(0)
    let i: usize = 0
    for (; i + 16 <= bytes; i += 16) {
      const shifted = f32x4.sub(f32x4.mul(v128.load(z + i), factor), tops)
      const e = exponential(shifted)
      sums = f32x4.add(sums, e)
      weighted = multiplyAdd(e, shifted, weighted)
    }
    let sum = sumLanes(sums), weightedSum = sumLanes(weighted)
    for (; i < bytes; i += 4) {
      const shifted = load<f32>(z + i) * inverseTemperature - top
      const e = exponentialOf(shifted)
      sum += e
      weightedSum += e * shifted
    }
    const logSum = Mathf.log(sum)
    const target = load<f32>(z + ((load<i32>(targets + at) as usize) << 2)) * inverseTemperature
    store<f32>(logProbs + at, target - top - logSum)
    store<f32>(entropies + at, logSum - weightedSum / sum)
    store<f32>(logSumExps + at, top + logSum)
  }
}

/**
 * Replaces logits[rows, width] by the gradient of the selected log probabilities: g (1[v = target] − softmax(logits /
 * T)) / T.
 */
export function selectLogProbsGradient(
  logits: usize, targets: usize, logSumExps: usize, upstream: usize, rows: i32, width: i32, inverseTemperature: f32,
): void {
  const bytes = (width as usize) << 2
  const factor = f32x4.splat(inverseTemperature)
  for (let row = 0; row < rows; row++) {
    const z = logits + (row as usize) * bytes
    const at = (row as usize) << 2
    const logSumExp = load<f32>(logSumExps + at)
    const pull = load<f32>(upstream + at) * inverseTemperature
    const shift = f32x4.splat(logSumExp), pulls = f32x4.splat(-pull)
    let i: usize = 0
    for (; i + 16 <= bytes; i += 16) {
      const e = exponential(f32x4.sub(f32x4.mul(v128.load(z + i), factor), shift))
      v128.store(z + i, f32x4.mul(e, pulls))
    }
    for (; i < bytes; i += 4) store<f32>(z + i, -pull * exponentialOf(load<f32>(z + i) * inverseTemperature - logSumExp))
    const target = z + ((load<i32>(targets + at) as usize) << 2)
    store<f32>(target, load<f32>(target) + pull)
  }
}

function maximumOf(x: usize, width: i32): f32 {
  let top: f32 = -Infinity
  const bytes = (width as usize) << 2
  let i: usize = 0
  if (bytes >= 16) {
    let tops = v128.load(x)
    for (i = 16; i + 16 <= bytes; i += 16) tops = f32x4.pmax(tops, v128.load(x + i))
    top = maximumLane(tops)
  }
  for (; i < bytes; i += 4) top = max<f32>(top, load<f32>(x + i))
  return top
}
