import { exponential, fillZero, maximumLane, multiplyAdd, sumLanes, sumLanesOfFour } from './vector'

/** The inner loops of attention, over pairs of rows and over keys and values at a list of byte offsets. */

// @ts-ignore: decorator
@inline
export function paddedWidth(visible: i32): i32 {
  return (visible + 3) & ~3
}

/**
 * scores[r][c − begin] = rows[r] · keys[list[c]] for two rows and c from begin up to end, rounded up to a multiple of
 * four.
 */
export function dotRows(
  rows: usize, headDim: i32, keys: usize, list: usize, begin: i32, end: i32, scores: usize, scoreStride: usize,
): void {
  const headBytes = (headDim as usize) << 2
  const second = rows + headBytes
  let to = scores
  for (let c = begin; c < end; c += 4) {
    const entries = list + ((c as usize) << 2)
    const k0 = keys + (load<u32>(entries) as usize), k1 = keys + (load<u32>(entries, 4) as usize)
    const k2 = keys + (load<u32>(entries, 8) as usize), k3 = keys + (load<u32>(entries, 12) as usize)
    let a0 = f32x4.splat(0), a1 = f32x4.splat(0), a2 = f32x4.splat(0), a3 = f32x4.splat(0)
    let b0 = f32x4.splat(0), b1 = f32x4.splat(0), b2 = f32x4.splat(0), b3 = f32x4.splat(0)
    for (let d: usize = 0; d < headBytes; d += 16) {
      const x = v128.load(rows + d), y = v128.load(second + d)
      let key = v128.load(k0 + d)
      a0 = multiplyAdd(x, key, a0); b0 = multiplyAdd(y, key, b0)
      key = v128.load(k1 + d)
      a1 = multiplyAdd(x, key, a1); b1 = multiplyAdd(y, key, b1)
      key = v128.load(k2 + d)
      a2 = multiplyAdd(x, key, a2); b2 = multiplyAdd(y, key, b2)
      key = v128.load(k3 + d)
      a3 = multiplyAdd(x, key, a3); b3 = multiplyAdd(y, key, b3)
    }
    v128.store(to, sumLanesOfFour(a0, a1, a2, a3))
    v128.store(to + scoreStride, sumLanesOfFour(b0, b1, b2, b3))
    to += 16
  }
}

/** The same for one row. */
export function dotRow(
  row: usize, headDim: i32, keys: usize, list: usize, begin: i32, end: i32, scores: usize,
): void {
  const rowEnd = row + ((headDim as usize) << 2)
  let to = scores
  for (let c = begin; c < end; c += 4) {
    const entries = list + ((c as usize) << 2)
    let k0 = keys + (load<u32>(entries) as usize), k1 = keys + (load<u32>(entries, 4) as usize)
    let k2 = keys + (load<u32>(entries, 8) as usize), k3 = keys + (load<u32>(entries, 12) as usize)
    let a0 = f32x4.splat(0), a1 = f32x4.splat(0), a2 = f32x4.splat(0), a3 = f32x4.splat(0)
    let x = row
    for (; x + 64 <= rowEnd; x += 64) {
      let part = v128.load(x)
      a0 = multiplyAdd(part, v128.load(k0), a0); a1 = multiplyAdd(part, v128.load(k1), a1)
      a2 = multiplyAdd(part, v128.load(k2), a2); a3 = multiplyAdd(part, v128.load(k3), a3)
      part = v128.load(x, 16)
      a0 = multiplyAdd(part, v128.load(k0, 16), a0); a1 = multiplyAdd(part, v128.load(k1, 16), a1)
      a2 = multiplyAdd(part, v128.load(k2, 16), a2); a3 = multiplyAdd(part, v128.load(k3, 16), a3)
      part = v128.load(x, 32)
      a0 = multiplyAdd(part, v128.load(k0, 32), a0); a1 = multiplyAdd(part, v128.load(k1, 32), a1)
      a2 = multiplyAdd(part, v128.load(k2, 32), a2); a3 = multiplyAdd(part, v128.load(k3, 32), a3)
      part = v128.load(x, 48)
      a0 = multiplyAdd(part, v128.load(k0, 48), a0); a1 = multiplyAdd(part, v128.load(k1, 48), a1)
      a2 = multiplyAdd(part, v128.load(k2, 48), a2); a3 = multiplyAdd(part, v128.load(k3, 48), a3)
      k0 += 64
      k1 += 64
      k2 += 64
      k3 += 64
    }
    for (; x < rowEnd; x += 16) {
      const part = v128.load(x)
      a0 = multiplyAdd(part, v128.load(k0), a0); a1 = multiplyAdd(part, v128.load(k1), a1)
      a2 = multiplyAdd(part, v128.load(k2), a2); a3 = multiplyAdd(part, v128.load(k3), a3)
      k0 += 16
      k1 += 16
      k2 += 16
      k3 += 16
    }
    v128.store(to, sumLanesOfFour(a0, a1, a2, a3))
    to += 16
  }
}

/**
 * exp(score − top) in place over the first `visible` of `width` scores, zeros after them. Writes the inverse of their
 * sum, by which the result is still to be multiplied, to `inverse`. Returns the log-sum-exp.
 */
export function softmaxWeights(scores: usize, visible: i32, width: i32, inverse: usize): f32 {
  const end = scores + ((visible as usize) << 2)
  const padded = scores + ((paddedWidth(visible) as usize) << 2)
  for (let at = end; at < padded; at += 4) store<f32>(at, -Infinity)
  let tops = f32x4.splat(-Infinity)
  for (let at = scores; at < end; at += 16) tops = f32x4.pmax(tops, v128.load(at))
  const top = maximumLane(tops)
  const shift = f32x4.splat(top)
  let sums = f32x4.splat(0)
  for (let at = scores; at < end; at += 16) {
    const e = exponential(f32x4.sub(v128.load(at), shift))
    v128.store(at, e)
    sums = f32x4.add(sums, e)
  }
  // exp(−∞) gives a tiny number instead of zero: negligible in the sum, but the weights are set to zero here.
  const last = scores + ((width as usize) << 2)
  for (let at = end; at < last; at += 4) store<f32>(at, 0)
  const sum = sumLanes(sums)
  store<f32>(inverse, 1 / sum)
  return top + Mathf.log(sum)
}

/**
 * Turns scores into weights exp(score − lse), and dy · v into slopes weight · (dy · v − delta); zeros from `seen` up
 * to `columns`.
 */
export function scoreSlopes(weights: usize, slopes: usize, seen: i32, columns: i32, lse: f32, delta: f32): void {
  const shift = f32x4.splat(lse), deltas = f32x4.splat(delta)
  const end = (seen as usize) << 2
  for (let i: usize = 0; i < end; i += 16) {
    const p = exponential(f32x4.sub(v128.load(weights + i), shift))
    v128.store(weights + i, p)
    v128.store(slopes + i, f32x4.mul(p, f32x4.sub(v128.load(slopes + i), deltas)))
  }
  fillZero(weights + end, columns - seen)
  fillZero(slopes + end, columns - seen)
}

/** target[r] += Σ_c coefficients[r][c − begin] · values[list[c]] for two rows. */
export function combineRows(
  coefficients: usize, stride: usize, values: usize, list: usize, begin: i32, end: i32, headDim: i32, target: usize,
): void {
  const headBytes = (headDim as usize) << 2
  const second = target + headBytes
  const entries = list + ((begin as usize) << 2)
  const bytes = ((max(end - begin, 0)) as usize) << 2
  let d: usize = 0
  for (; d + 64 <= headBytes; d += 64) {
    const base = values + d
    let a0 = v128.load(target + d), a1 = v128.load(target + d, 16)
    let a2 = v128.load(target + d, 32), a3 = v128.load(target + d, 48)
    let b0 = v128.load(second + d), b1 = v128.load(second + d, 16)
    let b2 = v128.load(second + d, 32), b3 = v128.load(second + d, 48)
    for (let c: usize = 0; c < bytes; c += 4) {
      const from = base + (load<u32>(entries + c) as usize)
      const x = v128.load_splat<f32>(coefficients + c), y = v128.load_splat<f32>(coefficients + stride + c)
      let value = v128.load(from)
      a0 = multiplyAdd(x, value, a0); b0 = multiplyAdd(y, value, b0)
      value = v128.load(from, 16)
      a1 = multiplyAdd(x, value, a1); b1 = multiplyAdd(y, value, b1)
      value = v128.load(from, 32)
      a2 = multiplyAdd(x, value, a2); b2 = multiplyAdd(y, value, b2)
      value = v128.load(from, 48)
      a3 = multiplyAdd(x, value, a3); b3 = multiplyAdd(y, value, b3)
    }
    v128.store(target + d, a0); v128.store(target + d, a1, 16)
    v128.store(target + d, a2, 32); v128.store(target + d, a3, 48)
    v128.store(second + d, b0); v128.store(second + d, b1, 16)
    v128.store(second + d, b2, 32); v128.store(second + d, b3, 48)
  }
  for (; d + 32 <= headBytes; d += 32) {
    const base = values + d
    let a0 = v128.load(target + d), a1 = v128.load(target + d, 16)
    let b0 = v128.load(second + d), b1 = v128.load(second + d, 16)
    for (let c: usize = 0; c < bytes; c += 4) {
      const from = base + (load<u32>(entries + c) as usize)
      const x = v128.load_splat<f32>(coefficients + c), y = v128.load_splat<f32>(coefficients + stride + c)
      const value0 = v128.load(from), value1 = v128.load(from, 16)
      a0 = multiplyAdd(x, value0, a0); b0 = multiplyAdd(y, value0, b0)
      a1 = multiplyAdd(x, value1, a1); b1 = multiplyAdd(y, value1, b1)
    }
    v128.store(target + d, a0); v128.store(target + d, a1, 16)
    v128.store(second + d, b0); v128.store(second + d, b1, 16)
  }
  for (; d < headBytes; d += 16) {
    const base = values + d
    let a = v128.load(target + d), b = v128.load(second + d)
    for (let c: usize = 0; c < bytes; c += 4) {
      const value = v128.load(base + (load<u32>(entries + c) as usize))
      a = multiplyAdd(v128.load_splat<f32>(coefficients + c), value, a)
      b = multiplyAdd(v128.load_splat<f32>(coefficients + stride + c), value, b)
    }
    v128.store(target + d, a)
    v128.store(second + d, b)
  }
}

/** The same for one row. */
export function combineRow(
  coefficients: usize, values: usize, list: usize, begin: i32, end: i32, headDim: i32, target: usize,
): void {
  const headBytes = (headDim as usize) << 2
  const entries = list + ((begin as usize) << 2)
  const bytes = ((max(end - begin, 0)) as usize) << 2
  let d: usize = 0
  for (; d + 128 <= headBytes; d += 128) {
    const base = values + d
    let a0 = v128.load(target + d), a1 = v128.load(target + d, 16)
    let a2 = v128.load(target + d, 32), a3 = v128.load(target + d, 48)
    let a4 = v128.load(target + d, 64), a5 = v128.load(target + d, 80)
    let a6 = v128.load(target + d, 96), a7 = v128.load(target + d, 112)
    for (let c: usize = 0; c < bytes; c += 4) {
      const from = base + (load<u32>(entries + c) as usize)
      const x = v128.load_splat<f32>(coefficients + c)
      a0 = multiplyAdd(x, v128.load(from), a0); a1 = multiplyAdd(x, v128.load(from, 16), a1)
      a2 = multiplyAdd(x, v128.load(from, 32), a2); a3 = multiplyAdd(x, v128.load(from, 48), a3)
      a4 = multiplyAdd(x, v128.load(from, 64), a4); a5 = multiplyAdd(x, v128.load(from, 80), a5)
      a6 = multiplyAdd(x, v128.load(from, 96), a6); a7 = multiplyAdd(x, v128.load(from, 112), a7)
    }
    v128.store(target + d, a0); v128.store(target + d, a1, 16)
    v128.store(target + d, a2, 32); v128.store(target + d, a3, 48)
    v128.store(target + d, a4, 64); v128.store(target + d, a5, 80)
    v128.store(target + d, a6, 96); v128.store(target + d, a7, 112)
  }
  for (; d < headBytes; d += 16) {
    const base = values + d
    let a = v128.load(target + d)
    for (let c: usize = 0; c < bytes; c += 4) {
      a = multiplyAdd(v128.load_splat<f32>(coefficients + c), v128.load(base + (load<u32>(entries + c) as usize)), a)
    }
    v128.store(target + d, a)
  }
}

/**
 * target[list[c]] += Σ_r coefficients[r][c − begin] · rows[r], two columns at a time; a last single column is paired
 * with `nowhere`.
 */
export function spreadRows(
  coefficients: usize, stride: usize, rows: usize, count: i32, headDim: i32, target: usize, list: usize, begin: i32,
  end: i32, nowhere: usize,
): void {
  const headBytes = (headDim as usize) << 2
  const rowsEnd = rows + (count as usize) * headBytes
  for (let c = begin; c < end; c += 2) {
    const entries = list + ((c as usize) << 2)
    const to = target + (load<u32>(entries) as usize)
    const second = c + 1 < end ? target + (load<u32>(entries, 4) as usize) : nowhere
    const column = coefficients + (((c - begin) as usize) << 2)
    let d: usize = 0
    for (; d + 64 <= headBytes; d += 64) {
      let a0 = v128.load(to + d), a1 = v128.load(to + d, 16), a2 = v128.load(to + d, 32), a3 = v128.load(to + d, 48)
      let b0 = v128.load(second + d), b1 = v128.load(second + d, 16)
      let b2 = v128.load(second + d, 32), b3 = v128.load(second + d, 48)
      let from = column
      for (let row = rows + d; row < rowsEnd; row += headBytes) {
        const x = v128.load_splat<f32>(from), y = v128.load_splat<f32>(from, 4)
        let value = v128.load(row)
        a0 = multiplyAdd(x, value, a0); b0 = multiplyAdd(y, value, b0)
        value = v128.load(row, 16)
        a1 = multiplyAdd(x, value, a1); b1 = multiplyAdd(y, value, b1)
        value = v128.load(row, 32)
        a2 = multiplyAdd(x, value, a2); b2 = multiplyAdd(y, value, b2)
        value = v128.load(row, 48)
        a3 = multiplyAdd(x, value, a3); b3 = multiplyAdd(y, value, b3)
        from += stride
      }
      v128.store(to + d, a0); v128.store(to + d, a1, 16); v128.store(to + d, a2, 32); v128.store(to + d, a3, 48)
      v128.store(second + d, b0); v128.store(second + d, b1, 16)
      v128.store(second + d, b2, 32); v128.store(second + d, b3, 48)
    }
    for (; d + 32 <= headBytes; d += 32) {
      let a0 = v128.load(to + d), a1 = v128.load(to + d, 16)
      let b0 = v128.load(second + d), b1 = v128.load(second + d, 16)
      let from = column
      for (let row = rows + d; row < rowsEnd; row += headBytes) {
        const x = v128.load_splat<f32>(from), y = v128.load_splat<f32>(from, 4)
        const value0 = v128.load(row), value1 = v128.load(row, 16)
        a0 = multiplyAdd(x, value0, a0); b0 = multiplyAdd(y, value0, b0)
        a1 = multiplyAdd(x, value1, a1); b1 = multiplyAdd(y, value1, b1)
        from += stride
      }
      v128.store(to + d, a0); v128.store(to + d, a1, 16)
      v128.store(second + d, b0); v128.store(second + d, b1, 16)
    }
    for (; d < headBytes; d += 16) {
      let a = v128.load(to + d), b = v128.load(second + d)
      let from = column
      for (let row = rows + d; row < rowsEnd; row += headBytes) {
        const value = v128.load(row)
        a = multiplyAdd(v128.load_splat<f32>(from), value, a)
        b = multiplyAdd(v128.load_splat<f32>(from, 4), value, b)
        from += stride
      }
      v128.store(to + d, a)
      v128.store(second + d, b)
    }
  }
}
